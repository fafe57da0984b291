// SPDX-License-Identifier: Apache-2.0
#include "code_walk.h"

namespace compmond::fuzz {
namespace {

constexpr int kSteps = 400;  // longer ways only repeat loops

const ZydisDecoder& decoder() {
  static const ZydisDecoder instance = [] {
    ZydisDecoder made;
    ZydisDecoderInit(&made, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    return made;
  }();
  return instance;
}

bool by_lot(uint64_t& lots) {  // xorshift64
  lots ^= lots << 13;
  lots ^= lots >> 7;
  lots ^= lots << 17;
  return lots & 1;
}

bool stops(const ZydisDecodedInstruction& insn) {
  switch (insn.mnemonic) {
    case ZYDIS_MNEMONIC_INT1:
    case ZYDIS_MNEMONIC_INT3:
    case ZYDIS_MNEMONIC_UD0:
    case ZYDIS_MNEMONIC_UD1:
    case ZYDIS_MNEMONIC_UD2:
    case ZYDIS_MNEMONIC_HLT:
      return true;
    default:
      return insn.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR;
  }
}

}  // namespace

bool Step::changes_rsp() const {
  for (size_t i = 0; i < insn.operand_count; ++i) {
    const ZydisDecodedOperand& operand = operands[i];
    if (operand.type == ZYDIS_OPERAND_TYPE_REGISTER &&
        (operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) &&
        ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, operand.reg.value) ==
            ZYDIS_REGISTER_RSP)
      return true;
  }
  return false;
}

std::optional<uint64_t> Step::target() const {
  if (insn.operand_count == 0 || operands[0].type != ZYDIS_OPERAND_TYPE_IMMEDIATE ||
      !operands[0].imm.is_relative)
    return std::nullopt;
  uint64_t out = 0;
  if (!ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&insn, &operands[0], vaddr, &out)))
    return std::nullopt;
  return out;
}

std::optional<Step> Code::at(uint64_t where) const {
  if (where < vaddr || where - vaddr >= bytes.size()) return std::nullopt;
  const auto rest = bytes.subspan(where - vaddr);
  Step step;
  step.vaddr = where;
  if (!ZYAN_SUCCESS(
          ZydisDecoderDecodeFull(&decoder(), rest.data(), rest.size(), &step.insn, step.operands)))
    return std::nullopt;
  return step;
}

Walk walk(const Code& code, uint64_t start, uint64_t size, uint64_t lots) {
  Walk out;
  const auto inside = [&](uint64_t vaddr) { return vaddr >= start && vaddr - start < size; };
  uint64_t at = start;
  const auto done = [&](Walk::End end) {
    out.end = end;
    out.last = at;
    return out;
  };
  for (int i = 0; i < kSteps; ++i) {
    const auto step = code.at(at);
    if (!step) return done(Walk::End::kUndecodable);
    out.visited.push_back(at);
    if (step->near_ret()) return done(Walk::End::kRet);
    if (stops(step->insn)) return done(Walk::End::kElsewhere);
    uint64_t next = step->next();
    const bool call = step->insn.mnemonic == ZYDIS_MNEMONIC_CALL;
    const bool jump = step->insn.mnemonic == ZYDIS_MNEMONIC_JMP;
    const auto target = step->target();
    if (jump && !target) return done(Walk::End::kElsewhere);
    if (target && !call) {
      out.jumps.push_back({at, *target});
      if (jump || by_lot(lots)) {
        if (!inside(*target)) return done(Walk::End::kElsewhere);
        next = *target;
      }
    }
    if (!inside(next)) return done(call ? Walk::End::kElsewhere : Walk::End::kRanOut);
    at = next;
  }
  return done(Walk::End::kElsewhere);
}

std::vector<uint64_t> straight_through(const Code& code, const std::vector<uint64_t>& starts) {
  std::vector<uint64_t> out;
  for (size_t i = 0; i < starts.size(); ++i) {
    const uint64_t end = i + 1 < starts.size() ? starts[i + 1] : code.vaddr + code.bytes.size();
    for (uint64_t at = starts[i]; at < end;) {
      const auto step = code.at(at);
      if (step) out.push_back(at);
      at += step ? step->insn.length : 1;
    }
  }
  return out;
}

}  // namespace compmond::fuzz
