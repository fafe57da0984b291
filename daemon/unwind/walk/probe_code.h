// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "walk/expression.h"

// Code that the kernel lays into programs for its probes, and what it changes of their stacks.
namespace compmond::unwind {

// Whether this is in the page for instructions under probes and for returns that are probed: the
// last that a program has.
constexpr bool in_probe_page(uint64_t address) {
  return address >= 0x7fffffffe000 && address < 0x7ffffffff000;
}

// The return address that a probe took from `slot`; nothing where none is known to have.
std::optional<uint64_t> taken_from(uint64_t slot, std::span<const cm_return> returns);

// For a thread in such code: pc and stack pointer as if it had passed it already. A function's
// probed return leads to its caller, and a probe in place of a nop to the instruction behind. False
// where it is not in such code, or what leads out of it is not at hand.
bool leave_probe_code(Registers& registers, std::span<const cm_return> returns, Memory& memory);

}  // namespace compmond::unwind
