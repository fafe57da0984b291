// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/words.h"
#include "elf/image.h"

// The only place that knows x86-64 instructions.
namespace compmond::code {

// How the kernel executes the instruction that a probe replaces; decides what a hit costs.
enum class SiteKind : uint8_t {
  kNop5,     // 5-byte nop: no trap on new kernels
  kNop,      // other nops, emulated
  kPush,     // push of a register, emulated
  kJump,     // relative jmp, jcc, call: emulated
  kStepped,  // everything else: single-stepped out of line, dear
};
constexpr auto words(SiteKind) {
  return word_table<SiteKind>({{SiteKind::kNop5, "nop5"},
                               {SiteKind::kNop, "nop"},
                               {SiteKind::kPush, "push"},
                               {SiteKind::kJump, "jump"},
                               {SiteKind::kStepped, "stepped"}});
}

struct Site {
  uint64_t vaddr = 0;
  SiteKind kind = SiteKind::kStepped;
};

// One way out of a function.
struct ExitSite {
  uint64_t vaddr = 0;
  bool tail_jump = false;  // false: ret
  // Of a tail jump that is taken only when it holds: the x86 condition code, 0 (jo) to 15 (jg).
  int8_t condition = kAlways;
  static constexpr int8_t kAlways = -1;
};

struct FunctionScan {
  Site first;  // the first instruction
  // Where to probe the entry: the first instruction, or a later cheaper one in straight line from
  // it that is provably equivalent: every call passes it exactly once, %rsp still points at the
  // return address, and no jump from anywhere lands in (first, entry]. May be one of `exits` (a
  // function that is one jump).
  Site entry;
  uint64_t moved_by = 0;  // entry.vaddr - first.vaddr
  // General registers that the instructions in [first, entry) may change: bit n as in the machine's
  // numbering (0 rax, 1 rcx, 2 rdx, 3 rbx, 4 rsp, 5 rbp, 6 rsi, 7 rdi, 8 r8 …).
  uint16_t passed_writes = 0;
  // Every way out, found by following all paths, cold parts included. Valid only when
  // `exits_complete`.
  std::vector<ExitSite> exits;
  bool exits_complete = false;
  std::string incomplete_reason;  // why exits are not known, for people
};

// Scans functions of one image. Keeps a map of the image's direct jump targets, made at first need;
// not thread-safe. `image` must outlive the scanner.
class CodeScanner {
 public:
  explicit CodeScanner(const elf::Image& image);
  ~CodeScanner();
  // Fails with Exit::kData when the address is not in an executable segment, when the first
  // instruction cannot be decoded or cannot carry a probe (a cs-prefixed nop, int3, a lock prefix
  // …), or when the function jumps back to it (each round would look like a call).
  Result<FunctionScan> scan(const elf::Symbol& function);
  // The stretches of code that make up `function`: its body, and the cold parts that its jumps lead
  // to, which compilers put elsewhere and stripped files have no names for. Empty when neither its
  // symbol nor unwind information says how long it is. Costs nothing right after scan.
  std::vector<elf::Image::Range> parts(const elf::Symbol& function);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace compmond::code
