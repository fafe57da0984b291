// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "elf/image.h"

// Whom a function hands control to, and whether it looks at where it returns to.
namespace compmond::code {

struct Calls {
  // Where one leads: a function of the same image, or what a slot holds that the loader fills
  // (elf::read_slots), also by way of the procedure linkage table.
  struct Target {
    uint64_t vaddr = 0;
    bool slot = false;
    bool tail =
        false;  // a jump with the stack as at entry: the callee has this one's return address
  };
  std::vector<Target> targets;
  std::string unknown;                // why there may be others, for people; empty: these are all
  bool reads_return_address = false;  // its own, other than by returning
};

class CallReader {
 public:
  explicit CallReader(const elf::Image& image);  // must outlive this object
  ~CallReader();
  // Of the function that begins at `vaddr`, which may be an entry of the procedure linkage table.
  Calls read(uint64_t vaddr);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace compmond::code
