// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "elf/image.h"

// What code does, whoever wants to know: decodes x86-64 instructions and follows them.
namespace compmond::code {

// One way out of a function.
struct ExitSite {
  uint64_t vaddr = 0;
  bool tail_jump = false;  // false: ret
  // Of a tail jump that is taken only when it holds: the x86 condition code, 0 (jo) to 15 (jg), or
  // kNoFlag when something else than the flags decides (loop, jrcxz, xbegin).
  int8_t condition = kAlways;
  uint64_t target = 0;  // of a tail jump: where it leads; 0: not known
  static constexpr int8_t kAlways = -1, kNoFlag = -2;
};

struct FunctionScan {
  uint64_t size = 0;  // bytes of its body; 0: nobody says, and all below is unknown
  // Every way out, by address, found by following all paths, cold parts included. Valid only when
  // `exits_complete`.
  std::vector<ExitSite> exits;
  bool exits_complete = false;
  std::string incomplete_reason;  // why exits are not known, for people
  bool restarts = false;          // it jumps back to its first instruction
};

// Where in a function that begins at `start`, for people: "+0x1c", or the address of what lies
// before it.
std::string place_in(uint64_t start, uint64_t vaddr);

// Scans functions of one image. Keeps a map of the image's direct jump targets, made at first need;
// not thread-safe. `image` must outlive the scanner.
class CodeScanner {
 public:
  explicit CodeScanner(const elf::Image& image);
  ~CodeScanner();
  // Fails with Exit::kData when the address is not in an executable segment, or when the first
  // instruction cannot be decoded.
  Result<FunctionScan> scan(const elf::Symbol& function);
  // Whether control may come into (first instruction, last] of `function` other than in straight
  // line from its first instruction: by a jump or call from anywhere, through a symbol that begins
  // there, or on a path that could not be followed. Of code behind a call that does not hold: the
  // unwinder may enter it. The function's paths cost nothing right after scan; the image's jump
  // targets are asked last.
  bool entered_within(const elf::Symbol& function, uint64_t last);
  // The stretches of code that make up `function`: its body, and the cold parts that its jumps lead
  // to, which compilers put elsewhere and stripped files have no names for. Empty when neither its
  // symbol nor unwind information says how long it is. Costs nothing right after scan.
  std::vector<elf::Image::Range> parts(const elf::Symbol& function);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace compmond::code
