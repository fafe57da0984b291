// SPDX-License-Identifier: Apache-2.0
#include "history/thread_table.h"

#include <algorithm>

namespace compmond::history {

void ThreadTable::grow(trace::ThreadId thread) {
  if (thread == kOlderThreads) return;
  if (thread - first_ >= kRows) {
    const trace::ThreadId keep = std::max<trace::ThreadId>(thread - kRows / 2, first_);
    const size_t fold = std::min<size_t>(keep - first_, rows_.size());
    for (size_t i = 0; i < fold; ++i) older_ += rows_[i];
    rows_.erase(rows_.begin(), rows_.begin() + ptrdiff_t(fold));
    first_ = keep;
  }
  while (rows_.size() <= thread - first_) {
    ThreadTotals& row = rows_.emplace_back();
    row.thread = trace::ThreadId(first_ + rows_.size() - 1);
  }
}

std::vector<ThreadTotals> ThreadTable::totals() const {
  std::vector<ThreadTotals> out;
  out.reserve(rows_.size() + 1);
  if (older_.calls > 0) out.push_back(older_);
  for (const ThreadTotals& row : rows_)
    if (row.calls > 0 || row.info.tid != 0) out.push_back(row);
  return out;
}

}  // namespace compmond::history
