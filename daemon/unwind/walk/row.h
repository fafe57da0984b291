// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "walk/expression.h"

// How a function's caller is found from within it, at one address: what call frame information
// says there, decoded. CFA is DWARF's canonical frame address: the caller's stack pointer.
namespace compmond::unwind {

// The registers that a function leaves as they were, and where it returns to, in DWARF's numbers.
constexpr std::array<uint8_t, 7> kSaved{3, 6, 12, 13, 14, 15, 16};

// What expressions take to say; few addresses need it: the linkage table, signal frames.
struct Rules {
  struct Rule {
    enum class How : uint8_t {
      kSame,
      kUndefined,
      kValue,   // the expression is the caller's value
      kMemory,  // the expression is the address of it
    };
    How how = How::kSame;
    Expression expression;
  };
  Expression cfa;
  std::array<Rule, CM_REGISTERS> registers;
};

struct Row {
  enum class Kind : uint8_t {
    kUnknown,    // the file does not say, or nonsense
    kOutermost,  // nobody called it
    kPlain,      // CFA = cfa_register + cfa_offset, registers as in `at`
    kRules,      // as number `rules` of its module
  };
  static constexpr int16_t kSame = INT16_MIN, kUndefined = INT16_MIN + 1;

  Kind kind = Kind::kUnknown;
  bool signal = false;  // a signal handler's caller: it was interrupted, it did not call
  uint8_t cfa_register = 0;
  int32_t cfa_offset = 0;
  std::array<int16_t, kSaved.size()> at{};  // bytes from the CFA to where each of kSaved lies
  uint32_t rules = 0;
};

}  // namespace compmond::unwind
