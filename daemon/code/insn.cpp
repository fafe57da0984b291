// SPDX-License-Identifier: Apache-2.0
#include "code/insn.h"

namespace compmond::code {
namespace {

const ZydisDecoder& decoder(bool minimal) {
  static const auto make = [](bool fast) {
    ZydisDecoder made;
    ZydisDecoderInit(&made, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    if (fast) ZydisDecoderEnableMode(&made, ZYDIS_DECODER_MODE_MINIMAL, ZYAN_TRUE);
    return made;
  };
  static const ZydisDecoder full = make(false), fast = make(true);
  return minimal ? fast : full;
}

Flow flow_of(const ZydisDecodedInstruction& raw, bool direct) {
  const bool far = raw.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR;
  switch (raw.mnemonic) {
    case ZYDIS_MNEMONIC_UD0:
    case ZYDIS_MNEMONIC_UD1:
    case ZYDIS_MNEMONIC_UD2:
    case ZYDIS_MNEMONIC_HLT:
    case ZYDIS_MNEMONIC_INT3:
    case ZYDIS_MNEMONIC_INT1:
      return Flow::kStop;
    case ZYDIS_MNEMONIC_RET:
      return far ? Flow::kForeign : Flow::kRet;
    case ZYDIS_MNEMONIC_JMP:
      if (far) return Flow::kForeign;
      return direct ? Flow::kJump : Flow::kIndirectJump;
    case ZYDIS_MNEMONIC_CALL:
      return far ? Flow::kForeign : Flow::kCall;
    case ZYDIS_MNEMONIC_IRET:
    case ZYDIS_MNEMONIC_IRETD:
    case ZYDIS_MNEMONIC_IRETQ:
    case ZYDIS_MNEMONIC_SYSRET:
    case ZYDIS_MNEMONIC_SYSEXIT:
      return Flow::kForeign;
    default:
      return direct ? Flow::kCondJump : Flow::kNext;  // jcc, loop, jrcxz, xbegin
  }
}

}  // namespace

int register_number(ZydisRegister reg) {
  const ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
  if (whole < ZYDIS_REGISTER_RAX || whole > ZYDIS_REGISTER_R15) return -1;
  return whole - ZYDIS_REGISTER_RAX;
}

std::optional<uint64_t> fixed_address(const Insn& insn, const ZydisDecodedOperand& operand) {
  if (operand.type != ZYDIS_OPERAND_TYPE_MEMORY || operand.mem.index != ZYDIS_REGISTER_NONE)
    return std::nullopt;
  const uint64_t displacement = uint64_t(operand.mem.disp.value);
  if (operand.mem.base == ZYDIS_REGISTER_RIP) return insn.next() + displacement;
  if (operand.mem.base == ZYDIS_REGISTER_NONE) return displacement;
  return std::nullopt;
}

std::optional<Insn> decode(std::span<const uint8_t> bytes, uint64_t vaddr) {
  std::optional<Insn> out(std::in_place);
  Insn& insn = *out;
  if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder(false), bytes.data(), bytes.size(), &insn.raw,
                                           insn.operands.data())))
    return std::nullopt;
  insn.vaddr = vaddr;
  insn.length = insn.raw.length;
  bool direct = false;
  for (int i = 0; i < insn.raw.operand_count; ++i) {
    const ZydisDecodedOperand& operand = insn.operands[size_t(i)];
    if (operand.type == ZYDIS_OPERAND_TYPE_IMMEDIATE && operand.imm.is_relative) {
      direct = true;
      insn.target = insn.next() + operand.imm.value.u;
    }
    if (operand.type == ZYDIS_OPERAND_TYPE_REGISTER &&
        (operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)) {
      const int number = register_number(operand.reg.value);
      if (number >= 0) insn.writes |= uint16_t(1u << number);
    }
  }
  insn.flow = flow_of(insn.raw, direct);
  if (insn.flow == Flow::kCall) insn.writes |= kCallClobbers;
  const uint8_t group = insn.raw.opcode & 0xf0;
  const bool jcc = (insn.raw.opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && group == 0x70) ||
                   (insn.raw.opcode_map == ZYDIS_OPCODE_MAP_0F && group == 0x80);
  if (insn.flow == Flow::kCondJump)
    insn.condition = jcc ? int8_t(insn.raw.opcode & 0x0f) : ExitSite::kNoFlag;
  return out;
}

Step step(std::span<const uint8_t> bytes, uint64_t vaddr) {
  ZydisDecodedInstruction raw;
  if (!ZYAN_SUCCESS(
          ZydisDecoderDecodeInstruction(&decoder(true), nullptr, bytes.data(), bytes.size(), &raw)))
    return {};
  Step out{raw.length, 0, 0};
  const auto& modrm = raw.raw.modrm;
  if ((raw.attributes & ZYDIS_ATTRIB_HAS_MODRM) && modrm.mod == 0 && modrm.rm == 5)
    out.data = vaddr + raw.length + uint64_t(raw.raw.disp.value);
  if (raw.raw.imm[0].is_relative)
    out.target = vaddr + raw.length + uint64_t(raw.raw.imm[0].value.s);
  return out;
}

}  // namespace compmond::code
