// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

// Drafts of specs: what a program consists of, and where its time goes, become components.
namespace compmond::suggest {

struct Image {
  std::string path;  // as the program sees it
  std::string build_id = {};
  bool main = false;
  bool stripped = false;  // only what it exports has names
};

struct Function {
  std::string symbol;  // raw name
  std::string name;    // as people write it, without parameters; equal to `symbol` for C
  uint32_t image = 0;
  uint64_t vaddr = 0, size = 0;  // as in the file
  bool exported = false;
  bool scoped() const { return name != symbol; }  // C++ or Rust
};

// A direct call or tail jump, once per pair. Indices of functions.
struct Call {
  uint32_t from = 0, to = 0;
};

// The functions of a program and of libraries that are its own: what every program has (the C
// library and the runtimes of languages) belongs to its callers.
struct Program {
  std::vector<Image> images;        // main executables first
  std::vector<Function> functions;  // by image, then by address
  std::vector<Call> calls;
};

// A function on a stack, below what called it: what was seen of all stacks that begin like this.
struct StackNode {
  static constexpr int32_t kNobody = -1;
  int32_t parent = kNobody;    // comes before it; kNobody: a thread's first function
  int32_t function = kNobody;  // of the program; kNobody: of its callers, as it has no name or is
                               // of no image that counts
  double cpu_ns = 0, waiting_ns = 0;  // with this innermost
};

// What samples of some seconds have seen; empty: none were taken.
struct Evidence {
  std::vector<StackNode> nodes;
  double seconds = 0;
  uint64_t samples = 0;
  uint64_t cpu_samples = 0;  // of these: on CPU
};

}  // namespace compmond::suggest
