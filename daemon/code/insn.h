// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Zydis/Zydis.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "code/scan.h"

// One decoded instruction, seen as the scanner needs it: where control goes, and what happens to
// %rsp.
namespace compmond::code {

enum class Flow : uint8_t {
  kNext,      // goes on behind itself (a syscall too)
  kJump,      // direct, always
  kCondJump,  // direct, or on behind itself
  kIndirectJump,
  kCall,  // direct or indirect; goes on behind itself if the callee returns
  kRet,
  kStop,     // never goes on: ud2, hlt, int1, int3
  kForeign,  // far transfers and system returns: nothing that a function of a program does
};

// What a call may change by the System V ABI: rax, rcx, rdx, rsi, rdi, r8 to r11.
constexpr uint16_t kCallClobbers = 0x0fc7;

struct Insn {
  uint64_t vaddr = 0;
  uint8_t length = 0;
  Flow flow = Flow::kNext;
  uint64_t target = 0;  // of a direct jump or call, else 0
  uint16_t writes = 0;  // bit n: general register n (0 rax … 4 rsp, 5 rbp … 15) may change
  int8_t condition = ExitSite::kAlways;  // of a conditional jump, as in ExitSite
  ZydisDecodedInstruction raw;
  std::array<ZydisDecodedOperand, ZYDIS_MAX_OPERAND_COUNT> operands;

  uint64_t next() const { return vaddr + length; }
  bool writes_register(int number) const { return (writes >> number) & 1; }
};

constexpr size_t kLongestInsn = 15;  // bytes of the longest one

inline bool is_memory(const ZydisDecodedOperand& operand) {
  return operand.type == ZYDIS_OPERAND_TYPE_MEMORY;
}

// Number of the general register that `reg` is or is part of, -1 for others.
int register_number(ZydisRegister reg);
constexpr int kRsp = 4, kRbp = 5;

// Address of a memory operand that is relative to %rip or absolute, without index; nullopt
// otherwise.
std::optional<uint64_t> fixed_address(const Insn& insn, const ZydisDecodedOperand& operand);

// Decodes the instruction at the head of `bytes`, which lies at `vaddr`; nullopt when there is
// none.
std::optional<Insn> decode(std::span<const uint8_t> bytes, uint64_t vaddr);

// Length and direct target (0: none) only, several times as fast; length 0: undecodable.
struct Step {
  uint8_t length = 0;
  uint64_t target = 0;
  uint64_t data = 0;  // that it names relative to itself; 0: none
};
Step step(std::span<const uint8_t> bytes, uint64_t vaddr);

}  // namespace compmond::code
