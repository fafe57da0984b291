// SPDX-License-Identifier: Apache-2.0
#include "walk/expression.h"

#include <dwarf.h>

namespace compmond::unwind {
namespace {

constexpr size_t kDepth = 32;  // of the stack of values

class Evaluation {
 public:
  Evaluation(const Registers& registers, std::optional<uint64_t> cfa, Memory& memory)
      : registers_(registers), cfa_(cfa), memory_(memory) {}

  std::optional<uint64_t> result() const {
    return depth_ > 0 ? std::optional(stack_[depth_ - 1]) : std::nullopt;
  }

  bool step(const Operation& op) {
    if (op.atom >= DW_OP_lit0 && op.atom <= DW_OP_lit31) return push(op.atom - DW_OP_lit0);
    if (op.atom >= DW_OP_breg0 && op.atom <= DW_OP_breg31)
      return push_register(op.atom - DW_OP_breg0, op.number);
    switch (op.atom) {
      case DW_OP_const1u:
      case DW_OP_const2u:
      case DW_OP_const4u:
      case DW_OP_const8u:
      case DW_OP_constu:
      case DW_OP_const1s:  // libdw has extended the sign
      case DW_OP_const2s:
      case DW_OP_const4s:
      case DW_OP_const8s:
      case DW_OP_consts:
        return push(op.number);
      case DW_OP_bregx:
        return push_register(op.number, op.number2);
      case DW_OP_call_frame_cfa:
        return cfa_ && push(*cfa_);
      case DW_OP_dup:
        return pick(0);
      case DW_OP_over:
        return pick(1);
      case DW_OP_pick:
        return pick(op.number);
      case DW_OP_nop:
      case DW_OP_stack_value:  // says what the value is for
        return true;
      case DW_OP_swap:
      case DW_OP_rot:
        return turn(op.atom == DW_OP_swap ? 2 : 3);
      case DW_OP_drop:
        return pop().has_value();
      default:
        return compute(op);
    }
  }

 private:
  bool push(uint64_t value) {
    if (depth_ == kDepth) return false;
    stack_[depth_++] = value;
    return true;
  }
  std::optional<uint64_t> pop() {
    return depth_ > 0 ? std::optional(stack_[--depth_]) : std::nullopt;
  }
  bool push_register(uint64_t number, uint64_t offset) {
    return registers_.knows(number) && push(registers_.value[number] + offset);
  }
  bool pick(uint64_t down) { return down < depth_ && push(stack_[depth_ - 1 - down]); }

  // The top of `count` values goes below the others.
  bool turn(size_t count) {
    if (depth_ < count) return false;
    const uint64_t top = stack_[depth_ - 1];
    for (size_t i = 1; i < count; ++i) stack_[depth_ - i] = stack_[depth_ - i - 1];
    stack_[depth_ - count] = top;
    return true;
  }

  bool compute(const Operation& op) {
    const auto top = pop();
    if (!top) return false;
    switch (op.atom) {
      case DW_OP_deref:
        return load(*top, 8);
      case DW_OP_deref_size:
        return op.number >= 1 && op.number <= 8 && load(*top, unsigned(op.number));
      case DW_OP_plus_uconst:
        return push(*top + op.number);
      case DW_OP_neg:
        return push(0 - *top);
      case DW_OP_not:
        return push(~*top);
      case DW_OP_abs:
        return push(int64_t(*top) < 0 ? 0 - *top : *top);
      default:
        break;
    }
    const auto below = pop();
    if (!below) return false;
    const auto value = combine(op.atom, *below, *top);
    return value && push(*value);
  }

  static std::optional<uint64_t> combine(uint8_t atom, uint64_t a, uint64_t b) {
    const auto signed_a = int64_t(a), signed_b = int64_t(b);
    switch (atom) {
      case DW_OP_plus:
        return a + b;
      case DW_OP_minus:
        return a - b;
      case DW_OP_mul:
        return a * b;
      case DW_OP_and:
        return a & b;
      case DW_OP_or:
        return a | b;
      case DW_OP_xor:
        return a ^ b;
      case DW_OP_shl:
        return b < 64 ? a << b : 0;
      case DW_OP_shr:
        return b < 64 ? a >> b : 0;
      case DW_OP_shra:
        return uint64_t(signed_a >> (b < 64 ? b : 63));
      case DW_OP_eq:
        return a == b;
      case DW_OP_ne:
        return a != b;
      case DW_OP_lt:
        return signed_a < signed_b;
      case DW_OP_le:
        return signed_a <= signed_b;
      case DW_OP_gt:
        return signed_a > signed_b;
      case DW_OP_ge:
        return signed_a >= signed_b;
      default:
        return std::nullopt;
    }
  }

  bool load(uint64_t address, unsigned size) {
    const auto value = memory_.read(address, size);
    return value && push(*value);
  }

  const Registers& registers_;
  const std::optional<uint64_t> cfa_;
  Memory& memory_;
  std::array<uint64_t, kDepth> stack_{};
  size_t depth_ = 0;
};

}  // namespace

std::optional<uint64_t> evaluate(std::span<const Operation> expression, const Registers& registers,
                                 std::optional<uint64_t> cfa, Memory& memory) {
  if (expression.size() > kOperations) return std::nullopt;
  Evaluation evaluation(registers, cfa, memory);
  for (const Operation& op : expression)
    if (!evaluation.step(op)) return std::nullopt;
  return evaluation.result();
}

}  // namespace compmond::unwind
