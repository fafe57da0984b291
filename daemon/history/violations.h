// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/limits.h"
#include "trace/execution.h"

namespace compmond::history {

// Ended executions that missed their objective: how many there were, the first of all, and the
// newest ones in the order in which they closed. Value type.
class Violations {
 public:
  void add(const trace::Execution& execution) {
    if (!first_) first_ = execution;
    if (ring_.size() < limits::kViolationsKept)
      ring_.push_back(execution);
    else
      ring_[total_ % limits::kViolationsKept] = execution;
    ++total_;
  }
  uint64_t total() const { return total_; }
  const std::optional<trace::Execution>& first() const { return first_; }
  size_t kept() const { return ring_.size(); }
  // The newest for 0, the one before for 1, …; i < kept().
  const trace::Execution& newest(size_t i) const {
    return ring_[(total_ - 1 - i) % limits::kViolationsKept];
  }
  size_t memory_bytes() const { return ring_.capacity() * sizeof(trace::Execution); }

 private:
  uint64_t total_ = 0;
  std::optional<trace::Execution> first_;
  std::vector<trace::Execution> ring_;
};

}  // namespace compmond::history
