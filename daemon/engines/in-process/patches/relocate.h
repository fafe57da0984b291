// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "code/insn.h"

// Instructions that run elsewhere than where they were linked to. In all of it, the first byte of
// `code` will run at the address `at`, what is appended behind all that is there; false: it cannot
// reach as far as it would have to (2 GiB), and `code` is as it was.
namespace compmond::inprocess {

// Why `insn` cannot do elsewhere what it does at its place, for people; null: it can.
const char* unmovable(const code::Insn& insn);

// Appends what does the same as `insn` does where it runs, which is at insn.vaddr + `bias`: its
// operands relative to %rip and its direct jumps lead where they led. `bytes` are the
// instruction's, or begin with it. Precondition: !unmovable(insn).
bool relocate(const code::Insn& insn, std::span<const uint8_t> bytes, uint64_t bias, uint64_t at,
              std::vector<uint8_t>& code);

// In what relocate() made of it, of so many bytes: where its distance to the image is, of four
// bytes, if it has any.
std::optional<size_t> distance_in(const code::Insn& insn, size_t bytes);

// Append a jump to `to`, of 5 bytes; one of 6 bytes that is taken when `condition` (0 jo to 15 jg)
// holds.
bool append_jump(uint64_t to, uint64_t at, std::vector<uint8_t>& code);
bool append_jump_if(int8_t condition, uint64_t to, uint64_t at, std::vector<uint8_t>& code);

}  // namespace compmond::inprocess
