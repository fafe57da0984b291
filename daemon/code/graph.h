// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "code/insn.h"
#include "code/memory.h"

namespace compmond::code {

// Where %rsp and %rbp point, in bytes below the return address's slot, as far as that is known.
struct Stack {
  static constexpr int64_t kUnknown = INT64_MIN;
  int64_t depth = 0;         // entry %rsp - %rsp
  int64_t frame = kUnknown;  // entry %rsp - %rbp
  bool known() const { return depth != kUnknown; }
  bool operator==(const Stack&) const = default;
};
// After `insn`, given what was before it.
Stack after(const Insn& insn, Stack stack);
// Where a memory operand that is relative to %rsp or %rbp points, as a depth; Stack::kUnknown for
// others.
int64_t address_depth(const ZydisDecodedOperand& operand, Stack stack);
// What holds on both of two ways to one place.
Stack merge(Stack one, Stack other);

// An instruction of a function that control can reach, and how it goes on from there.
struct Node {
  uint8_t length = 0;
  Flow flow = Flow::kNext;
  uint16_t writes = 0;
  uint64_t target = 0;
  Stack stack;                 // before the instruction
  std::vector<uint64_t> from;  // predecessors
};

// Those of one function, by address. Borrows the memory that they are decoded from. One thread.
class Graph {
 public:
  explicit Graph(const Memory& memory, uint64_t entry) : entry_(entry), reader_(memory) {}
  uint64_t entry() const { return entry_; }
  const Node* find(uint64_t vaddr) const {
    const auto it = nodes_.find(vaddr);
    return it == nodes_.end() ? nullptr : &it->second;
  }
  std::unordered_map<uint64_t, Node>& nodes() { return nodes_; }
  const std::unordered_map<uint64_t, Node>& nodes() const { return nodes_; }
  // True when a path of the function comes to (entry, last] other than by passing from the
  // instruction before.
  bool entered_within(uint64_t last) const;
  std::optional<Insn> decode_at(uint64_t vaddr) const { return decode(reader_.at(vaddr), vaddr); }

 private:
  uint64_t entry_;
  mutable CodeReader reader_;
  std::unordered_map<uint64_t, Node> nodes_;
};

}  // namespace compmond::code
