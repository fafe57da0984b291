// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "walk/expression.h"

// Code that no call frame information describes, known by its bytes.
namespace compmond::unwind {

enum class Bare : uint8_t {
  kUnknown,
  kAtReturn,      // the return address is on top of the stack
  kNewThread,     // behind the system call that made it: nobody called this
  kSignalReturn,  // the end of a signal handler: what was interrupted is on top of the stack
};

constexpr size_t kBareBefore = 2, kBareBehind = 16;  // bytes around a pc that it takes to say

// `before` and `behind` are the bytes on both sides of pc, fewer where there are none.
Bare bare_code(std::span<const uint8_t> before, std::span<const uint8_t> behind,
               const Registers& registers, bool first_frame);

// Whether `before`, the bytes in front of an address, end with a call: so that one may return
// there.
bool is_behind_call(std::span<const uint8_t> before);
constexpr size_t kCallBytes = 7;  // of the longest without a prefix

// Registers as they were when the signal came, from the kernel's frame at the stack pointer. False
// when that is not at hand.
bool leave_signal(Registers& registers, Memory& memory);

// Whether `sp` lies just below what the kernel hands a program: argc, argv, NULL. `*end` is then
// behind that.
bool below_arguments(uint64_t sp, Memory& memory, uint64_t* end);

}  // namespace compmond::unwind
