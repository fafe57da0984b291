// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tsl/robin_map.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/hash_mix.h"
#include "history/sums.h"
#include "trace/execution.h"

namespace compmond::history {

struct MixedHash {
  size_t operator()(uint64_t key) const { return size_t(hash_mix(0, key)); }
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
