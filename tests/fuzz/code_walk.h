// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Zydis/Zydis.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace compmond::fuzz {

// One decoded instruction of a crafted program, without any of the scanner's code.
struct Step {
  ZydisDecodedInstruction insn;
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
  uint64_t vaddr = 0;

  uint64_t next() const { return vaddr + insn.length; }
  bool near_ret() const {
    return insn.mnemonic == ZYDIS_MNEMONIC_RET && insn.meta.branch_type != ZYDIS_BRANCH_TYPE_FAR;
  }
  bool changes_rsp() const;
  // Of a direct jump.
  std::optional<uint64_t> target() const;
};

// Code that lies at `vaddr`.
struct Code {
  uint64_t vaddr = 0;
  std::span<const uint8_t> bytes;
  std::optional<Step> at(uint64_t where) const;
};

// What happened on one way through a function, as a processor would go it; conditional jumps by
// lot.
struct Walk {
  enum class End : uint8_t { kRet, kRanOut, kUndecodable, kElsewhere };
  End end =
      End::kElsewhere;  // kElsewhere: left by a jump, stopped, or still going after many steps
  uint64_t last = 0;    // address of the last instruction
  std::vector<uint64_t> visited;
  struct Jump {
    uint64_t from = 0, to = 0;
  };
  std::vector<Jump> jumps;  // the direct ones, also those not taken and those that leave
};
Walk walk(const Code& code, uint64_t start, uint64_t size, uint64_t lots);

// The addresses at which instructions begin when code is read straight through, beginning anew at
// each of the `starts` (ascending): how the scanner looks for short jumps.
std::vector<uint64_t> straight_through(const Code& code, const std::vector<uint64_t>& starts);

}  // namespace compmond::fuzz
