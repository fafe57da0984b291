// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "trace/execution.h"

namespace compmond::history {

// Response-time objectives of operations: an execution whose whole raw time is above that of its
// operation misses it, however it ended, but where events were lost. Value type.
class Objectives {
 public:
  Objectives() = default;
  // Per operation, in ns; 0: none.
  explicit Objectives(std::vector<uint64_t> ns) : ns_(std::move(ns)) {
    if (std::all_of(ns_.begin(), ns_.end(), [](uint64_t one) { return one == 0; })) ns_.clear();
    for (uint64_t& one : ns_)
      if (one == 0) one = kNone;
  }

  bool any() const { return !ns_.empty(); }
  // 0: none.
  uint64_t of(trace::OperationId op) const {
    return op < ns_.size() && ns_[op] != kNone ? ns_[op] : 0;
  }
  bool missed(trace::OperationId op, uint64_t raw_ns) const {
    return op < ns_.size() && raw_ns > ns_[op];
  }
  // Of a lossy one nobody knows how long it took: its end may be lost, or that of others before.
  bool missed(const trace::Execution& e) const {
    return e.reason != trace::Closed::kLossy && missed(e.op, e.end_ns - e.start_ns);
  }

  // The end was not seen, only that it is over: raw times are upper bounds then.
  static bool end_unseen(trace::Closed reason) { return reason == trace::Closed::kAbandoned; }

 private:
  static constexpr uint64_t kNone = UINT64_MAX;
  std::vector<uint64_t> ns_;  // empty: no operation has one
};

}  // namespace compmond::history
