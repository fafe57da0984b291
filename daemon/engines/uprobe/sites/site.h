// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/words.h"

namespace compmond::uprobe {

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

// An instruction that a probe may sit on.
struct ProbeSite {
  uint64_t vaddr = 0;
  SiteKind kind = SiteKind::kStepped;
};

}  // namespace compmond::uprobe
