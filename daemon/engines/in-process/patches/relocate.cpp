// SPDX-License-Identifier: Apache-2.0
#include "patches/relocate.h"

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <optional>

namespace compmond::inprocess {
namespace {

using code::Flow;
using code::Insn;

constexpr uint8_t kOperandSize = 0x66;
constexpr size_t kDisplacement = 4;  // bytes, of a jump or of an operand relative to %rip

std::span<const ZydisDecodedOperand> operands_of(const Insn& insn) {
  return {insn.operands.data(), insn.raw.operand_count};
}

bool has_prefix(const Insn& insn, uint8_t prefix) {
  const std::span prefixes(insn.raw.raw.prefixes, insn.raw.raw.prefix_count);
  return std::ranges::any_of(prefixes, [&](const auto& p) { return p.value == prefix; });
}

// Its operand in memory whose base is `reg`, or null.
const ZydisDecodedOperand* relative_to(const Insn& insn, ZydisRegister reg) {
  for (const ZydisDecodedOperand& operand : operands_of(insn))
    if (code::is_memory(operand) && operand.mem.base == reg) return &operand;
  return nullptr;
}

bool uses_rip(const Insn& insn) {
  return std::ranges::any_of(operands_of(insn), [](const ZydisDecodedOperand& operand) {
    return operand.type == ZYDIS_OPERAND_TYPE_REGISTER && operand.reg.value == ZYDIS_REGISTER_RIP;
  });
}

// Why one that goes on behind itself does so at its own place alone.
const char* bound_to_its_place(const Insn& insn) {
  // syscall, sysenter, int, and what returns to user interrupts and out of system management mode
  if (uses_rip(insn)) return "a system call, or as one: it is begun again at its own address";
  switch (insn.raw.mnemonic) {
    case ZYDIS_MNEMONIC_VMCALL:
    case ZYDIS_MNEMONIC_VMMCALL:
    case ZYDIS_MNEMONIC_VMFUNC:
    case ZYDIS_MNEMONIC_TDCALL:
      return "a call of the hypervisor, which may look at it or replace it";
    case ZYDIS_MNEMONIC_ENCLU:
      return "it enters an enclave, which gets its address";
    default:
      return nullptr;
  }
}

void append(std::vector<uint8_t>& code, int32_t value) {
  for (size_t i = 0; i < kDisplacement; ++i) code.push_back(uint8_t(uint32_t(value) >> (8 * i)));
}

// From `next`, where an instruction ends, to `to`.
std::optional<int32_t> displacement(uint64_t to, uint64_t next) {
  const auto distance = int64_t(to - next);
  if (distance != int32_t(distance)) return std::nullopt;
  return int32_t(distance);
}

bool append_jump(std::initializer_list<uint8_t> opcode, uint64_t to, uint64_t at,
                 std::vector<uint8_t>& code) {
  const auto by = displacement(to, at + code.size() + opcode.size() + kDisplacement);
  if (!by) return false;
  code.insert(code.end(), opcode);
  append(code, *by);
  return true;
}

}  // namespace

const char* unmovable(const Insn& insn) {
  const bool direct = insn.flow == Flow::kJump || insn.flow == Flow::kCondJump;
  switch (insn.flow) {
    case Flow::kCall:
      return "a call: whoever unwinds or returns comes to the address behind it";
    case Flow::kStop:
      return "it stops the program there (ud2, int3, hlt)";
    case Flow::kForeign:
      return "a far transfer or a return from an interrupt";
    case Flow::kCondJump:
      if (insn.condition < 0) return "loop, jrcxz or xbegin: no jump that depends on flags";
      break;
    case Flow::kNext:
      if (const char* why = bound_to_its_place(insn)) return why;
      break;
    case Flow::kJump:
    case Flow::kIndirectJump:
    case Flow::kRet:
      break;
  }
  // AMD's processors jump within 64 KiB there, and read two bytes less; Intel's ignore the prefix.
  if (direct && has_prefix(insn, kOperandSize))
    return "a jump with an operand size, which processors understand differently";
  if (relative_to(insn, ZYDIS_REGISTER_EIP)) return "it reaches memory relative to %eip";
  return nullptr;
}

// Prefixes of direct jumps are left out: that of an address has no effect, hints have none on where
// it leads, and bnd belongs to an extension (MPX) that kernels no longer let programs use.
bool relocate(const Insn& insn, std::span<const uint8_t> bytes, uint64_t bias, uint64_t at,
              std::vector<uint8_t>& code) {
  if (unmovable(insn) || bytes.size() < insn.length) std::abort();
  if (insn.flow == Flow::kJump) return append_jump(insn.target + bias, at, code);
  if (insn.flow == Flow::kCondJump)
    return append_jump_if(insn.condition, insn.target + bias, at, code);
  const size_t start = code.size();
  const ZydisDecodedOperand* operand = relative_to(insn, ZYDIS_REGISTER_RIP);
  std::optional<int32_t> by;
  if (operand) {
    const uint64_t to = insn.next() + uint64_t(operand->mem.disp.value) + bias;
    by = displacement(to, at + start + insn.length);
    if (!by) return false;
  }
  code.insert(code.end(), bytes.begin(), bytes.begin() + insn.length);
  if (by)  // an immediate may follow it
    for (size_t i = 0; i < kDisplacement; ++i)
      code[start + insn.raw.raw.disp.offset + i] = uint8_t(uint32_t(*by) >> (8 * i));
  return true;
}

std::optional<size_t> distance_in(const Insn& insn, size_t bytes) {
  if (insn.flow == Flow::kJump || insn.flow == Flow::kCondJump) return bytes - kDisplacement;
  if (relative_to(insn, ZYDIS_REGISTER_RIP)) return insn.raw.raw.disp.offset;
  return std::nullopt;
}

bool append_jump(uint64_t to, uint64_t at, std::vector<uint8_t>& code) {
  return append_jump({0xe9}, to, at, code);
}

bool append_jump_if(int8_t condition, uint64_t to, uint64_t at, std::vector<uint8_t>& code) {
  if (condition < 0 || condition > 15) std::abort();
  return append_jump({0x0f, uint8_t(0x80 + condition)}, to, at, code);
}

}  // namespace compmond::inprocess
