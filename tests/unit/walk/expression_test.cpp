// SPDX-License-Identifier: Apache-2.0
#include "walk/expression.h"

#include <doctest/doctest.h>
#include <dwarf.h>

using namespace compmond::unwind;

namespace {

struct Words : Memory {
  std::optional<uint64_t> read(uint64_t address, unsigned size) override {
    if (address != 0x1000) return std::nullopt;
    return size == 8 ? 0x1122334455667788 : 0x1122334455667788 & ((uint64_t(1) << 8 * size) - 1);
  }
};

std::optional<uint64_t> value(const Expression& expression,
                              std::optional<uint64_t> cfa = std::nullopt) {
  Registers registers;
  for (int i = 0; i < CM_REGISTERS; ++i) registers.set(i, 100 + uint64_t(i));
  registers.lose(9);
  Words memory;
  return evaluate(expression, registers, cfa, memory);
}

constexpr uint64_t kMinus = ~uint64_t(0);

Operation lit(uint64_t n) { return {DW_OP_constu, n, 0}; }
std::optional<uint64_t> binary(uint64_t a, uint64_t b, uint8_t atom) {
  return value({lit(a), lit(b), {atom, 0, 0}});
}

}  // namespace

TEST_CASE("expression: each operation that call frame information uses") {
  struct Case {
    uint8_t atom;
    uint64_t a, b, result;
  };
  for (const Case& c : {
           Case{DW_OP_plus, 5, kMinus, 4},
           {DW_OP_minus, 5, 7, kMinus - 1},
           {DW_OP_mul, 6, 7, 42},
           {DW_OP_and, 12, 10, 8},
           {DW_OP_or, 12, 10, 14},
           {DW_OP_xor, 12, 10, 6},
           {DW_OP_shl, 3, 3, 24},
           {DW_OP_shl, 3, 64, 0},
           {DW_OP_shr, kMinus, 63, 1},
           {DW_OP_shr, kMinus, 64, 0},
           {DW_OP_shra, kMinus - 7, 1, kMinus - 3},
           {DW_OP_shra, kMinus, 200, kMinus},
           {DW_OP_eq, 4, 4, 1},
           {DW_OP_ne, 4, 4, 0},
           {DW_OP_lt, kMinus, 0, 1},
           {DW_OP_le, 0, 0, 1},
           {DW_OP_gt, kMinus, 0, 0},
           {DW_OP_ge, kMinus, 0, 0},
       }) {
    CAPTURE(int(c.atom));
    CHECK(binary(c.a, c.b, c.atom) == c.result);
  }
  CHECK(value({lit(5), {DW_OP_neg, 0, 0}}) == kMinus - 4);
  CHECK(value({lit(kMinus), {DW_OP_abs, 0, 0}}) == 1);
  CHECK(value({lit(0), {DW_OP_not, 0, 0}}) == kMinus);
  CHECK(value({lit(5), {DW_OP_plus_uconst, 3, 0}}) == 8);
  CHECK(value({{DW_OP_lit0 + 31, 0, 0}}) == 31);
  CHECK(value({{DW_OP_const1s, kMinus, 0}}) == kMinus);
}

TEST_CASE("expression: registers, the CFA, memory") {
  CHECK(value({{DW_OP_breg0 + 7, 8, 0}}) == 115);
  CHECK(value({{DW_OP_bregx, 16, kMinus}}) == 115);
  CHECK(value({{DW_OP_call_frame_cfa, 0, 0}, {DW_OP_stack_value, 0, 0}}, 77) == 77);
  CHECK(value({lit(0x1000), {DW_OP_deref, 0, 0}}) == 0x1122334455667788);
  CHECK(value({lit(0x1000), {DW_OP_deref_size, 2, 0}}) == 0x7788);
}

TEST_CASE("expression: values are moved about") {
  const std::vector<Operation> three{lit(1), lit(2), lit(3)};
  const auto then = [&](std::initializer_list<Operation> more) {
    Expression all = three;
    all.insert(all.end(), more);
    return value(all);
  };
  constexpr Operation kDrop{DW_OP_drop, 0, 0};
  CHECK(then({{DW_OP_dup, 0, 0}, kDrop}) == 3);
  CHECK(then({{DW_OP_over, 0, 0}}) == 2);
  CHECK(then({{DW_OP_pick, 2, 0}}) == 1);
  CHECK(then({{DW_OP_swap, 0, 0}}) == 2);
  CHECK(then({{DW_OP_swap, 0, 0}, kDrop}) == 3);
  CHECK(then({{DW_OP_rot, 0, 0}}) == 2);
  CHECK(then({{DW_OP_rot, 0, 0}, kDrop}) == 1);
  CHECK(then({{DW_OP_rot, 0, 0}, kDrop, kDrop}) == 3);
}

TEST_CASE("expression: what is malformed, unknown, or has no place there has no value") {
  for (const Expression& bad : std::vector<Expression>{
           {},
           {{DW_OP_drop, 0, 0}},
           {{DW_OP_dup, 0, 0}},
           {lit(1), {DW_OP_plus, 0, 0}},
           {lit(1), {DW_OP_swap, 0, 0}},
           {lit(1), lit(1), {DW_OP_rot, 0, 0}},
           {lit(1), {DW_OP_pick, 1, 0}},
           {lit(1), {DW_OP_deref, 0, 0}},
           {lit(0x1000), {DW_OP_deref_size, 0, 0}},
           {lit(0x1000), {DW_OP_deref_size, 9, 0}},
           {{DW_OP_breg0 + 9, 0, 0}},   // lost
           {{DW_OP_breg0 + 17, 0, 0}},  // no register that is kept
           {{DW_OP_bregx, kMinus, 0}},
           {{DW_OP_call_frame_cfa, 0, 0}},  // none yet
           {lit(1), {DW_OP_bra, kMinus, 0}},
           {{DW_OP_skip, 0, 0}},
           {{DW_OP_addr, 4, 0}},
           {lit(1), lit(0), {DW_OP_div, 0, 0}},
           {{DW_OP_call2, 0, 0}},
           {{0xff, 0, 0}},
           Expression(33, lit(1)),
           Expression(kOperations + 1, {DW_OP_nop, 0, 0}),
       })
    CHECK_FALSE(value(bad).has_value());
}
