// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "code/memory.h"
#include "code/scan.h"
#include "elf/image.h"
#include "uprobe_sites/site.h"

namespace compmond::uprobe {

// Where probes of one function may sit.
struct FunctionSites {
  ProbeSite first;  // the first instruction
  // Where to probe the entry: the first instruction, or a later cheaper one in straight line from
  // it that is provably equivalent: every call passes it exactly once, %rsp still points at the
  // return address, and no jump from anywhere lands in (first, entry]. May be one of `exits` (a
  // function that is one jump).
  ProbeSite entry;
  uint64_t moved_by = 0;  // entry.vaddr - first.vaddr
  // General registers that the instructions in [first, entry) may change: bit n as in the machine's
  // numbering (0 rax, 1 rcx, 2 rdx, 3 rbx, 4 rsp, 5 rbp, 6 rsi, 7 rdi, 8 r8 …).
  uint16_t passed_writes = 0;
  // Every way out, by address. Valid only when `exits_complete`: then each can carry a probe, and
  // depends on the flags alone where it depends on anything.
  std::vector<code::ExitSite> exits;
  std::vector<SiteKind> exit_kinds;  // one per exit
  bool exits_complete = false;
  std::string incomplete_reason;  // why exits are not known, or not all of use, for people
};

// Finds where the kernel's probes can go in functions of one image. Not thread-safe. `image` must
// outlive the finder. `nop5`: whether an entry may move to a 5-byte nop, at which the kernel (6.18)
// makes a system call of the program.
class SiteFinder {
 public:
  SiteFinder(const elf::Image& image, bool nop5);
  // Fails as code::CodeScanner::scan does, and with Exit::kData when the first instruction cannot
  // carry a probe (a cs-prefixed nop, int3, a lock prefix …), or when the function jumps back to it
  // (each round would look like a call).
  Result<FunctionSites> find(const elf::Symbol& function);

 private:
  std::unique_ptr<code::Memory> memory_;
  code::CodeScanner scanner_;
  bool nop5_;
};

}  // namespace compmond::uprobe
