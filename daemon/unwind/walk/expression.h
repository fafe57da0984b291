// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <linux/types.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sampling/record.h"

// The DWARF expressions that call frame information is made of, evaluated with bounds.
namespace compmond::unwind {

// DWARF's numbers of two registers; 0 to 15 are rax rdx rcx rbx rsi rdi rbp rsp r8 … r15.
constexpr int kRbp = 6, kRsp = 7, kPc = 16;

// One operation as libdw decodes it, a DW_OP_*.
struct Operation {
  uint8_t atom = 0;
  uint64_t number = 0, number2 = 0;
};
using Expression = std::vector<Operation>;

constexpr size_t kOperations = 64;  // in an expression; real ones have less than 20

// Registers of one frame. What calls may change is not known of callers.
struct Registers {
  std::array<uint64_t, CM_REGISTERS> value{};
  uint32_t known = (1u << CM_REGISTERS) - 1;  // bit n: register n

  bool knows(uint64_t number) const { return number < CM_REGISTERS && ((known >> number) & 1); }
  void set(int number, uint64_t to) {
    value[size_t(number)] = to;
    known |= 1u << number;
  }
  void lose(int number) { known &= ~(1u << number); }
};

// A process's memory as far as it is at hand.
class Memory {
 public:
  virtual ~Memory() = default;
  // `size` bytes, 1 to 8, zero-extended.
  virtual std::optional<uint64_t> read(uint64_t address, unsigned size) = 0;
};

// The value of `expression`, which begins with an empty stack. Nothing where it is malformed, needs
// what is not known, or is an operation that has no place in call frame information (jumps, calls,
// addresses of objects).
std::optional<uint64_t> evaluate(std::span<const Operation> expression, const Registers& registers,
                                 std::optional<uint64_t> cfa, Memory& memory);

}  // namespace compmond::unwind
