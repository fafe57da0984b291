// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tsl/robin_map.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "history/sums.h"
#include "trace/execution.h"

namespace compmond::history {

// For tables that take the low bits: Knuth's multiplicative hash, of which the middle bits are the
// best mixed ones.
struct MixedHash {
  size_t operator()(uint64_t key) const {
    return size_t(key * 0x9e3779b97f4a7c15u >> 32);
  }
};

// Calls from one operation to another since start; caller kNoOperation at the bottom of a stack.
struct EdgeTotals : EdgeSums {
  trace::OperationId caller = trace::kNoOperation;
  trace::OperationId callee = 0;
};

// The totals of all pairs that were seen. Bounded by the pairs of operations that the target's code
// has.
class EdgeTable {
 public:
  // The reference holds until the next call.
  EdgeSums& at(trace::OperationId caller, trace::OperationId callee) {
    const uint64_t key = uint64_t(caller) << 32 | callee;
    const auto found = edges_.find(key);
    return found != edges_.end() ? found.value() : edges_[key];
  }
  // In no particular order.
  std::vector<EdgeTotals> edges() const;
  size_t memory_bytes() const {
    return edges_.bucket_count() *
           (sizeof(*edges_.begin()) + sizeof(uint64_t));  // a word of its own
  }

 private:
  tsl::robin_map<uint64_t, EdgeSums, MixedHash> edges_;
};

}  // namespace compmond::history
