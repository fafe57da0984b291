// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
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

// The totals of all pairs that were seen. A callee is mostly called by the same one again, so that
// one is found without a look-up. Bounded by the pairs of operations that the target's code has.
class EdgeTable {
 public:
  explicit EdgeTable(size_t operations) : latest_(operations, SIZE_MAX) {}

  // callee < operations.
  EdgeTotals& at(trace::OperationId caller, trace::OperationId callee) {
    const size_t latest = latest_[callee];
    if (latest != SIZE_MAX && edges_[latest].caller == caller) return edges_[latest];
    const auto [place, fresh] = index_.try_emplace(uint64_t(caller) << 32 | callee, edges_.size());
    if (fresh) edges_.push_back({caller, callee});
    latest_[callee] = place->second;
    return edges_[place->second];
  }
  const std::vector<EdgeTotals>& edges() const { return edges_; }

 private:
  std::vector<size_t> latest_;  // per callee
  std::unordered_map<uint64_t, size_t> index_;
  std::vector<EdgeTotals> edges_;
};

}  // namespace compmond::history
