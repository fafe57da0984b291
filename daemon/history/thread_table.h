// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "history/sums.h"
#include "record/event.h"
#include "trace/execution.h"

namespace compmond::history {

struct ThreadTotals : ThreadSums {
  trace::ThreadId thread = 0;
  record::ThreadInfo info;
};

// The row into which the oldest threads are folded, so that a program that starts threads without
// end stays bounded.
constexpr trace::ThreadId kOlderThreads = UINT32_MAX;

// The totals of the newest threads (ids are dense and grow) and one row for all older ones.
class ThreadTable {
 public:
  ThreadTotals& at(trace::ThreadId thread) {
    if (thread < first_) return older_;
    if (thread - first_ >= rows_.size()) grow(thread);
    return thread < first_ ? older_ : rows_[thread - first_];
  }
  // Every thread seen, the row of the older ones first if there are any.
  std::vector<ThreadTotals> totals() const;
  size_t memory_bytes() const { return rows_.capacity() * sizeof(ThreadTotals); }

 private:
  static constexpr size_t kRows =
      32'768;  // twice limits::kThreadSlots: all living ones and as many ended ones
  void grow(trace::ThreadId thread);

  trace::ThreadId first_ = 0;
  std::vector<ThreadTotals> rows_;
  ThreadTotals older_{{}, kOlderThreads, {0, 0, 0, "(older threads)"}};
};

}  // namespace compmond::history
