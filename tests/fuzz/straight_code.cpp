// SPDX-License-Identifier: Apache-2.0
#include "straight_code.h"

#include <algorithm>
#include <cstring>

#include "patches/relocate.h"

namespace compmond::fuzz {
namespace {

using code::Flow;
using code::Insn;

// Of another time, processor or privilege, state that a signal's context does not hold, or
// addresses that no operand shows.
bool differs_or_hides(const Insn& insn) {
  switch (insn.raw.meta.category) {
    case ZYDIS_CATEGORY_AMX_TILE:
    case ZYDIS_CATEGORY_CLZERO:
    case ZYDIS_CATEGORY_ENQCMD:
    case ZYDIS_CATEGORY_HRESET:
    case ZYDIS_CATEGORY_IO:
    case ZYDIS_CATEGORY_IOSTRINGOP:
    case ZYDIS_CATEGORY_KEYLOCKER:
    case ZYDIS_CATEGORY_KEYLOCKER_WIDE:
    case ZYDIS_CATEGORY_LEGACY:
    case ZYDIS_CATEGORY_MOVDIR:
    case ZYDIS_CATEGORY_MPX:
    case ZYDIS_CATEGORY_PADLOCK:
    case ZYDIS_CATEGORY_PCONFIG:
    case ZYDIS_CATEGORY_PKU:
    case ZYDIS_CATEGORY_PT:
    case ZYDIS_CATEGORY_RDPID:
    case ZYDIS_CATEGORY_RDPRU:
    case ZYDIS_CATEGORY_RDRAND:
    case ZYDIS_CATEGORY_RDSEED:
    case ZYDIS_CATEGORY_RDWRFSGS:
    case ZYDIS_CATEGORY_SEGOP:
    case ZYDIS_CATEGORY_SGX:
    case ZYDIS_CATEGORY_SMAP:
    case ZYDIS_CATEGORY_SYSTEM:
    case ZYDIS_CATEGORY_TSX_LDTRK:
    case ZYDIS_CATEGORY_UINTR:
    case ZYDIS_CATEGORY_VTX:
    case ZYDIS_CATEGORY_WAITPKG:
    case ZYDIS_CATEGORY_XOP:  // and of light-weight profiling
    case ZYDIS_CATEGORY_XSAVE:
    case ZYDIS_CATEGORY_XSAVEOPT:
      return true;
    case ZYDIS_CATEGORY_CET:
      return insn.raw.mnemonic != ZYDIS_MNEMONIC_ENDBR64;
    default:
      break;
  }
  switch (insn.raw.mnemonic) {
    case ZYDIS_MNEMONIC_CPUID:
    case ZYDIS_MNEMONIC_MCOMMIT:
    case ZYDIS_MNEMONIC_MONITOR:
    case ZYDIS_MNEMONIC_MONITORX:
    case ZYDIS_MNEMONIC_MWAIT:
    case ZYDIS_MNEMONIC_MWAITX:
    case ZYDIS_MNEMONIC_FLDENV:
    case ZYDIS_MNEMONIC_FNSAVE:
    case ZYDIS_MNEMONIC_FNSTENV:
    case ZYDIS_MNEMONIC_FRSTOR:
    case ZYDIS_MNEMONIC_FXRSTOR:
    case ZYDIS_MNEMONIC_FXRSTOR64:
    case ZYDIS_MNEMONIC_FXSAVE:
    case ZYDIS_MNEMONIC_FXSAVE64:
    case ZYDIS_MNEMONIC_POPF:
    case ZYDIS_MNEMONIC_POPFD:
    case ZYDIS_MNEMONIC_POPFQ:
      return true;
    default:
      return insn.raw.attributes & ZYDIS_ATTRIB_IS_PRIVILEGED;
  }
}

// A register's bit number reaches memory far from the operand.
bool reaches_by_bits(const Insn& insn) {
  return insn.raw.meta.category == ZYDIS_CATEGORY_BITBYTE && code::is_memory(insn.operands[0]) &&
         insn.operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER;
}

bool is_segment(ZydisRegister reg) { return ZydisRegisterGetClass(reg) == ZYDIS_REGCLASS_SEGMENT; }

// Which instructions may come next.
class Vetting {
 public:
  explicit Vetting(const Roles& roles) : roles_(roles) {}

  bool accepts(const Insn& insn) {
    if (inprocess::unmovable(insn) || differs_or_hides(insn) || reaches_by_bits(insn)) return false;
    if (insn.flow == Flow::kRet) return false;
    if (insn.flow == Flow::kIndirectJump && insn.operands[0].mem.base != ZYDIS_REGISTER_RIP)
      return false;
    const bool stacks = insn.raw.meta.category == ZYDIS_CATEGORY_PUSH ||
                        insn.raw.meta.category == ZYDIS_CATEGORY_POP;
    if (insn.writes_register(code::kRsp) && !stacks) return false;
    for (size_t i = 0; i < insn.raw.operand_count; ++i)
      if (!accepts(insn.operands[i], i < insn.raw.operand_count_visible)) return false;
    written_ |= insn.writes & ~(1 << code::kRsp);
    return true;
  }

 private:
  bool accepts(const ZydisDecodedOperand& operand, bool visible) const {
    if (operand.type == ZYDIS_OPERAND_TYPE_REGISTER) {
      const ZydisRegister reg = operand.reg.value;
      const bool writes = operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
      const bool moves_stack = visible && code::register_number(reg) == code::kRsp;
      return !writes || (!is_segment(reg) && !moves_stack);
    }
    if (!code::is_memory(operand) || operand.mem.type == ZYDIS_MEMOP_TYPE_AGEN) return true;
    const auto& memory = operand.mem;
    if (memory.type != ZYDIS_MEMOP_TYPE_MEM || memory.segment == ZYDIS_REGISTER_FS ||
        memory.segment == ZYDIS_REGISTER_GS)
      return false;
    if (memory.base == ZYDIS_REGISTER_RIP) return true;
    return holds(memory.base, Role::kPointer) &&
           (memory.index == ZYDIS_REGISTER_NONE || holds(memory.index, Role::kSmall));
  }

  // All of its 64 bits are as they were at the start, and of that role.
  bool holds(ZydisRegister reg, Role role) const {
    const int number = code::register_number(reg);
    if (number < 0 || ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, reg) != 64) return false;
    return roles_[size_t(number)] == role && !(written_ >> number & 1);
  }

  const Roles& roles_;
  uint16_t written_ = 0;
};

int64_t read(const uint8_t* bytes, size_t bits) {
  uint64_t value = 0;
  std::memcpy(&value, bytes, bits / 8);
  return int64_t(value << (64 - bits)) >> (64 - bits);
}

// Where an operand relative to %rip leads instead of by `displacement`, which is arbitrary.
uint64_t operand_target(bool jump, int64_t displacement, uint64_t next) {
  const auto choice = uint64_t(displacement);
  if (jump) return BareMachine::kPointers + choice * 8 % BareMachine::kPage;
  if (choice % 16 == 15) return next + choice;  // anywhere: as a rule a fault
  const uint64_t aligned = choice & 16 ? ~uint64_t{0} : ~uint64_t{63};  // half of them
  return BareMachine::kArena + ((choice >> 5) % (BareMachine::kArenaSize - 64) & aligned);
}

}  // namespace

StraightCode::StraightCode(std::span<const uint8_t> bytes, const Roles& roles) {
  Vetting vetting(roles);
  size_t length = 0;
  while (!bytes.empty()) {
    const auto insn = code::decode(bytes, 0);
    if (insn && length + insn->length > kLongest) return;
    if (insn && vetting.accepts(*insn)) {
      parts_.push_back({*insn, {}});
      std::ranges::copy(bytes.first(insn->length), parts_.back().bytes.begin());
      length += insn->length;
    }
    bytes = bytes.subspan(insn ? insn->length : 1);
  }
}

StraightCode::Placed StraightCode::placed(uint64_t at) const {
  Placed out;
  size_t length = 0;
  for (const Part& part : parts_) {
    out.starts.push_back(length);
    length += part.insn.length;
  }
  out.starts.push_back(length);
  for (size_t i = 0; i < parts_.size(); ++i) fill_in(parts_[i], i, at, out);
  return out;
}

void StraightCode::fill_in(const Part& part, size_t number, uint64_t at, Placed& placed) const {
  const Insn& insn = part.insn;
  const auto& starts = placed.starts;
  const size_t start = starts[number];
  const uint64_t next = at + starts[number + 1];
  placed.bytes.insert(placed.bytes.end(), part.bytes.begin(), part.bytes.begin() + insn.length);
  const auto put = [&](size_t offset, size_t bits, uint64_t value) {
    std::memcpy(&placed.bytes[start + offset], &value, bits / 8);
  };
  if (insn.flow == Flow::kJump || insn.flow == Flow::kCondJump) {
    const auto& immediate = insn.raw.raw.imm[0];
    const auto choice = uint64_t(read(&part.bytes[immediate.offset], immediate.size));
    // To the start of one that follows, or to the end; or to some int3 before them all.
    const size_t later = number + 1 + (choice >> 1) % (parts_.size() - number);
    const uint64_t outside = at - 2 - (choice >> 1) % (immediate.size == 8 ? 7 : 200);
    put(immediate.offset, immediate.size, (choice & 1 ? at + starts[later] : outside) - next);
    return;
  }
  const auto& field = insn.raw.raw.disp;
  if (field.size != 32) return;
  const int64_t displacement = read(&part.bytes[field.offset], field.size);
  const bool relative = std::ranges::any_of(insn.operands, [](const ZydisDecodedOperand& operand) {
    return code::is_memory(operand) && operand.mem.base == ZYDIS_REGISTER_RIP;
  });
  if (relative)
    put(field.offset, 32,
        operand_target(insn.flow == Flow::kIndirectJump, displacement, next) - next);
  else if (insn.raw.mnemonic != ZYDIS_MNEMONIC_LEA)
    put(field.offset, 32, uint64_t(displacement % 2048));
}

}  // namespace compmond::fuzz
