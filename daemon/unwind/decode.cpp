// SPDX-License-Identifier: Apache-2.0
#include "unwind/decode.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <span>

namespace compmond::unwind {
namespace {

using How = Rules::Rule::How;

constexpr int kRbx = 3;

std::optional<Expression> copied(const Dwarf_Op* ops, size_t count) {
  if (count > kOperations) return std::nullopt;
  Expression out;
  for (const Dwarf_Op& op : std::span(ops, count)) out.push_back({op.atom, op.number, op.number2});
  return out;
}

std::optional<Rules::Rule> rule_of(Dwarf_Frame* frame, int number) {
  Dwarf_Op memory[3];
  Dwarf_Op* ops = nullptr;
  size_t count = 0;
  if (dwarf_frame_register(frame, number, memory, &ops, &count) != 0) return std::nullopt;
  // libdw 0.188 takes number 0 for rbx's where it begins with what the ABI preserves.
  if (count == 0) return Rules::Rule{ops && number != kRbx ? How::kUndefined : How::kSame, {}};
  auto expression = copied(ops, count);
  if (!expression) return std::nullopt;
  if (count == 1 && ops[0].atom == DW_OP_regx)  // it is in another register
    return Rules::Rule{How::kValue, {{DW_OP_bregx, ops[0].number, 0}}};
  const bool value = ops[count - 1].atom == DW_OP_stack_value;
  return Rules::Rule{value ? How::kValue : How::kMemory, std::move(*expression)};
}

std::optional<Rules> rules_of(Dwarf_Frame* frame) {
  Rules out;
  Dwarf_Op* ops = nullptr;
  size_t count = 0;
  if (dwarf_frame_cfa(frame, &ops, &count) != 0 || count == 0) return std::nullopt;
  auto cfa = copied(ops, count);
  if (!cfa) return std::nullopt;
  out.cfa = std::move(*cfa);
  for (int number = 0; number < CM_REGISTERS; ++number) {
    auto rule = rule_of(frame, number);
    if (!rule) return std::nullopt;
    out.registers[size_t(number)] = std::move(*rule);
  }
  return out;
}

// Bytes from the CFA to where the register lies, or one of Row's words.
std::optional<int16_t> place_of(const Rules::Rule& rule) {
  if (rule.how == How::kSame) return Row::kSame;
  if (rule.how == How::kUndefined) return Row::kUndefined;
  const Expression& e = rule.expression;
  if (rule.how != How::kMemory || e.empty() || e.size() > 2 || e[0].atom != DW_OP_call_frame_cfa)
    return std::nullopt;
  if (e.size() == 2 && e[1].atom != DW_OP_plus_uconst) return std::nullopt;
  const auto offset = e.size() == 2 ? int64_t(e[1].number) : 0;
  if (offset <= Row::kUndefined || offset > INT16_MAX) return std::nullopt;
  return int16_t(offset);
}

bool is_cfa(const Rules::Rule& rule) {
  return rule.how == How::kValue && rule.expression.size() == 2 &&
         rule.expression[0].atom == DW_OP_call_frame_cfa;
}

// True where a plain row says it all.
bool make_plain(const Rules& rules, Row& row) {
  if (rules.cfa.size() != 1 || rules.cfa[0].atom != DW_OP_bregx || rules.cfa[0].number >= kPc ||
      !is_cfa(rules.registers[kRsp]))
    return false;
  const auto offset = int64_t(rules.cfa[0].number2);
  if (offset < INT32_MIN || offset > INT32_MAX) return false;
  row.cfa_register = uint8_t(rules.cfa[0].number);
  row.cfa_offset = int32_t(offset);
  for (size_t i = 0; i < kSaved.size(); ++i) {
    const auto place = place_of(rules.registers[kSaved[i]]);
    if (!place) return false;
    row.at[i] = *place;
  }
  return true;
}

}  // namespace

Decoded decode_row(Dwarf_CFI_s* cfi, uint64_t vaddr) {
  Decoded out;
  Dwarf_Frame* raw = nullptr;
  if (dwarf_cfi_addrframe(cfi, vaddr, &raw) != 0) return out;
  const std::unique_ptr<Dwarf_Frame, void (*)(void*)> frame(raw, std::free);
  out.found = true;
  Dwarf_Addr start = 0, end = 0;
  const int return_address = dwarf_frame_info(frame.get(), &start, &end, &out.row.signal);
  auto rules = rules_of(frame.get());
  if (return_address != kPc || !rules) return out;
  out.start = start;
  out.end = end;
  const How to_caller = rules->registers[kPc].how;
  if (to_caller == How::kSame) return out;  // a function that returns to itself
  if (to_caller == How::kUndefined) {
    out.row.kind = Row::Kind::kOutermost;
  } else if (make_plain(*rules, out.row)) {
    out.row.kind = Row::Kind::kPlain;
  } else {
    out.row.kind = Row::Kind::kRules;
    out.rules = std::move(*rules);
  }
  return out;
}

}  // namespace compmond::unwind
