// SPDX-License-Identifier: Apache-2.0
#include "code/graph.h"

namespace compmond::code {
namespace {

constexpr int64_t kWord = 8;

bool is_register(const ZydisDecodedOperand& operand, ZydisRegister reg) {
  return operand.type == ZYDIS_OPERAND_TYPE_REGISTER && operand.reg.value == reg;
}

int64_t moved(int64_t depth, int64_t by) { return depth == Stack::kUnknown ? depth : depth + by; }

// What a register holds after mov or lea, as a depth.
int64_t loaded_depth(const Insn& insn, Stack stack) {
  if (insn.raw.mnemonic == ZYDIS_MNEMONIC_LEA) return address_depth(insn.operands[1], stack);
  if (insn.raw.mnemonic == ZYDIS_MNEMONIC_MOV) {
    if (is_register(insn.operands[1], ZYDIS_REGISTER_RSP)) return stack.depth;
    if (is_register(insn.operands[1], ZYDIS_REGISTER_RBP)) return stack.frame;
  }
  return Stack::kUnknown;
}

int64_t depth_after(const Insn& insn, Stack stack) {
  const ZydisDecodedOperand& first = insn.operands[0];
  const ZydisDecodedOperand& second = insn.operands[1];
  const int64_t pushed = insn.raw.operand_width == 16 ? 2 : kWord;
  switch (insn.raw.mnemonic) {
    case ZYDIS_MNEMONIC_PUSH:
    case ZYDIS_MNEMONIC_PUSHFQ:
      return moved(stack.depth, pushed);
    case ZYDIS_MNEMONIC_POP:
      return is_register(first, ZYDIS_REGISTER_RSP) ? Stack::kUnknown : moved(stack.depth, -pushed);
    case ZYDIS_MNEMONIC_POPFQ:
      return moved(stack.depth, -pushed);
    case ZYDIS_MNEMONIC_LEAVE:
      return moved(stack.frame, -kWord);
    case ZYDIS_MNEMONIC_CALL:
      return stack.depth;
    case ZYDIS_MNEMONIC_ADD:
    case ZYDIS_MNEMONIC_SUB: {
      if (!is_register(first, ZYDIS_REGISTER_RSP) || second.type != ZYDIS_OPERAND_TYPE_IMMEDIATE)
        return Stack::kUnknown;
      const int64_t bytes = second.imm.value.s;
      return moved(stack.depth, insn.raw.mnemonic == ZYDIS_MNEMONIC_SUB ? bytes : -bytes);
    }
    default:
      return is_register(first, ZYDIS_REGISTER_RSP) ? loaded_depth(insn, stack) : Stack::kUnknown;
  }
}

}  // namespace

int64_t address_depth(const ZydisDecodedOperand& operand, Stack stack) {
  if (operand.type != ZYDIS_OPERAND_TYPE_MEMORY || operand.mem.index != ZYDIS_REGISTER_NONE)
    return Stack::kUnknown;
  if (operand.mem.base == ZYDIS_REGISTER_RSP) return moved(stack.depth, -operand.mem.disp.value);
  if (operand.mem.base == ZYDIS_REGISTER_RBP) return moved(stack.frame, -operand.mem.disp.value);
  return Stack::kUnknown;
}

Stack after(const Insn& insn, Stack stack) {
  Stack out = stack;
  if (insn.writes_register(kRsp)) out.depth = depth_after(insn, stack);
  if (insn.writes_register(kRbp)) {
    const bool loaded = is_register(insn.operands[0], ZYDIS_REGISTER_RBP);
    out.frame = loaded ? loaded_depth(insn, stack) : Stack::kUnknown;
  }
  return out;
}

Stack merge(Stack one, Stack other) {
  if (one.depth != other.depth) one.depth = Stack::kUnknown;
  if (one.frame != other.frame) one.frame = Stack::kUnknown;
  return one;
}

bool Graph::entered_within(uint64_t last) const {
  for (uint64_t at = entry_ + 1; at <= last; ++at) {
    const Node* node = find(at);
    if (!node) continue;
    for (const uint64_t from : node->from)
      if (from < entry_ || from + find(from)->length != at || find(from)->target == at) return true;
  }
  return false;
}

}  // namespace compmond::code
