// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/execution.h"

namespace compmond::history {

// Calls from one operation to another since start; caller kNoOperation at the bottom of a stack.
struct EdgeTotals {
  trace::OperationId caller = trace::kNoOperation;
  trace::OperationId callee = 0;
  uint64_t calls = 0;   // begun, so closed + open
  uint64_t raw_ns = 0;  // closed
};

// The totals of all pairs that were seen: a hash table with open addressing, at most half full.
// Bounded by the pairs of operations that the target's code has.
class EdgeTable {
 public:
  EdgeTable() : slots_(kFirstSlots, kFree) {}

  // callee < kNoOperation. The reference holds until the next call.
  EdgeTotals& at(trace::OperationId caller, trace::OperationId callee) {
    for (size_t i = hash(caller, callee);; ++i) {
      EdgeTotals& slot = slots_[i & (slots_.size() - 1)];
      if (slot.callee == callee && slot.caller == caller) return slot;
      if (slot.callee == kFree.callee) return insert(caller, callee);
    }
  }
  // In no particular order.
  std::vector<EdgeTotals> edges() const;
  size_t memory_bytes() const { return slots_.capacity() * sizeof(EdgeTotals); }

 private:
  static constexpr EdgeTotals kFree{trace::kNoOperation, trace::kNoOperation, 0, 0};
  static constexpr size_t kFirstSlots = 64;

  static size_t hash(trace::OperationId caller, trace::OperationId callee) {
    // Knuth's multiplicative hash; the middle bits are the best mixed ones.
    return (uint64_t(caller) << 20 ^ callee) * 0x9e3779b97f4a7c15u >> 32;
  }
  EdgeTotals& insert(trace::OperationId caller, trace::OperationId callee);

  std::vector<EdgeTotals> slots_;  // a power of two
  size_t used_ = 0;
};

}  // namespace compmond::history
