// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "code/graph.h"

namespace compmond::code {

// Where values come from that a function has in registers: of its own stack, or not. Follows them
// back over all paths, through registers and places on the stack. Borrows the graph.
class Origins {
 public:
  // Bits: what a value may come from, by one path or another.
  enum Origin : unsigned {
    kOwn = 1,       // the function's own stack pointer
    kConstant = 2,  // a number in the code
    kForeign = 4,   // an argument, memory that is not on the stack, what a call gave
    kUnknown = 8,   // what the caller has in registers that pass nothing
  };

  // `entered_anywhere`: the stretch may hold several functions, so that code which nothing leads to
  // is entered with arguments as well; else only the unwinder comes there.
  Origins(const Graph& graph, bool entered_anywhere);

  // Of general register `reg` before the instruction at `vaddr`.
  unsigned before(int reg, uint64_t vaddr);
  // Of what `insn`, which writes general register `reg`, puts there.
  unsigned written(const Insn& insn, int reg);
  // Whether the function keeps its own stack pointer: in a register at `vaddr`, or anywhere in
  // memory that is not on its stack.
  bool keeps_stack_pointer(uint64_t vaddr);

 private:
  struct Store {  // of a register to memory
    Insn insn;
    int64_t depth = Stack::kUnknown;  // of the place, if it is on the stack
    int reg = -1;
  };
  unsigned follow(int reg, uint64_t vaddr);
  unsigned defined(const Insn& insn, int reg);
  unsigned source(const Insn& insn, const ZydisDecodedOperand& operand);
  unsigned on_stack(const Insn& insn, const ZydisDecodedOperand& operand);
  unsigned address(const Insn& insn, const ZydisDecodedOperand& operand);
  unsigned popped(const Insn& insn);
  bool comes_back_by_frame() const;
  bool lies_on_stack(const Insn& insn, const ZydisDecodedOperand& operand);
  int64_t depth_of(uint64_t vaddr, const ZydisDecodedOperand& operand) const;
  const std::vector<Store>& stores();
  void begin() { seen_.clear(); }

  const Graph& graph_;
  bool entered_anywhere_;
  std::set<std::pair<int, uint64_t>> seen_;            // in one question: register, instruction
  std::map<std::pair<uint64_t, int>, bool> on_stack_;  // instruction, base of its memory operand
  int depth_ = 0;
  std::optional<std::vector<Store>> stores_;
};

}  // namespace compmond::code
