// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "bare_run.h"
#include "code/insn.h"

namespace compmond::fuzz {

// What a register holds at the start: an address in the arena, a number below 256, or anything.
enum class Role : uint8_t { kPointer, kSmall, kAny };
using Roles = std::array<Role, kRegisters>;

// Instructions out of arbitrary bytes that BareMachine can run one after the other: they reach no
// memory but what lies about its code, jump only forward or out, and do the same each time. What
// does not is left out, as is what cannot be relocated.
class StraightCode {
 public:
  static constexpr size_t kLongest = 120;  // bytes: a short jump leads out of it on either side

  StraightCode(std::span<const uint8_t> bytes, const Roles& roles);

  size_t count() const { return parts_.size(); }
  void leave_out(size_t number) { parts_.erase(parts_.begin() + ptrdiff_t(number)); }

  // As it runs at an address, with what is relative to that filled in.
  struct Placed {
    std::vector<uint8_t> bytes;
    std::vector<size_t> starts;  // of each instruction; then the end
  };
  Placed placed(uint64_t at) const;

 private:
  struct Part {
    code::Insn insn;
    std::array<uint8_t, code::kLongestInsn> bytes{};
  };
  void fill_in(const Part& part, size_t number, uint64_t at, Placed& placed) const;

  std::vector<Part> parts_;
};

}  // namespace compmond::fuzz
