// SPDX-License-Identifier: Apache-2.0
#include "code/insn.h"

#include "code/kernel.h"

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

// Interrupts and system calls may come back late or never, rep string instructions take their time:
// none of them may lie between a function's first instruction and its probe.
bool passable(const Insn& insn) {
  constexpr auto kRep = ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE;
  switch (insn.raw.meta.category) {
    case ZYDIS_CATEGORY_SYSCALL:
    case ZYDIS_CATEGORY_INTERRUPT:
    case ZYDIS_CATEGORY_SYSTEM:
      return false;
    default:
      return insn.flow == Flow::kNext && !insn.writes_register(kRsp) &&
             !(insn.raw.attributes & kRep);
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

namespace {

// Whether the operand names a place below %rsp to write to, or takes an address near it. (A
// register that the caller pointed there points into no frame that lives.)
bool reaches_below_stack(const ZydisDecodedOperand& operand) {
  if (operand.type == ZYDIS_OPERAND_TYPE_REGISTER)
    return operand.visibility == ZYDIS_OPERAND_VISIBILITY_EXPLICIT &&
           (operand.actions & ZYDIS_OPERAND_ACTION_MASK_READ) &&
           register_number(operand.reg.value) == kRsp;
  if (operand.type != ZYDIS_OPERAND_TYPE_MEMORY || operand.mem.base != ZYDIS_REGISTER_RSP)
    return false;
  if (operand.mem.type == ZYDIS_MEMOP_TYPE_AGEN) return true;
  return (operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) &&
         (operand.mem.disp.value < 0 || operand.mem.index != ZYDIS_REGISTER_NONE);
}

}  // namespace

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
    insn.below_stack |= reaches_below_stack(operand);
  }
  insn.flow = flow_of(insn.raw, direct);
  if (insn.flow == Flow::kCall) insn.writes |= kCallClobbers;
  const uint8_t group = insn.raw.opcode & 0xf0;
  const bool jcc = (insn.raw.opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && group == 0x70) ||
                   (insn.raw.opcode_map == ZYDIS_OPCODE_MAP_0F && group == 0x80);
  if (insn.flow == Flow::kCondJump && jcc) insn.condition = int8_t(insn.raw.opcode & 0x0f);
  const KernelView view = kernel_view(insn.raw, bytes.first(insn.length), vaddr);
  insn.site = view.site;
  insn.refusal = view.refusal;
  insn.may_pass = passable(insn);
  return out;
}

Step step(std::span<const uint8_t> bytes, uint64_t vaddr) {
  ZydisDecodedInstruction raw;
  if (!ZYAN_SUCCESS(
          ZydisDecoderDecodeInstruction(&decoder(true), nullptr, bytes.data(), bytes.size(), &raw)))
    return {};
  Step out{raw.length, 0};
  if (raw.raw.imm[0].is_relative)
    out.target = vaddr + raw.length + uint64_t(raw.raw.imm[0].value.s);
  return out;
}

}  // namespace compmond::code
