// SPDX-License-Identifier: Apache-2.0
#include "diagrams/timing_nesting.h"

#include <algorithm>
#include <tuple>

#include "diagrams/timing.h"

namespace compmond::diagrams {

std::vector<TimingItem> nested_items(const snapshot::ExecutionsView& view) {
  std::vector<TimingItem> items;
  items.reserve(view.executions.size() + view.folds.size());
  for (uint32_t i = 0; i < view.executions.size(); ++i) {
    const auto& e = view.executions[i];
    const uint64_t end = std::max(e.start_ns, e.end_ns);
    items.push_back({false, i, e.operation, e.pid, e.tid, e.ess, e.start_ns, end, end - e.start_ns,
                     e.trace_id, -1});
  }
  for (uint32_t i = 0; i < view.folds.size(); ++i) {
    const auto& f = view.folds[i];
    items.push_back({true, i, f.operation, f.pid, f.tid, f.ess, f.start_ns,
                     std::max(f.start_ns, f.end_ns), f.raw_ns, 0, -1});
  }
  std::sort(items.begin(), items.end(), [](const TimingItem& a, const TimingItem& b) {
    return std::tuple(a.pid, a.tid, a.start_ns, a.ess, b.end_ns, a.is_fold, a.index) <
           std::tuple(b.pid, b.tid, b.start_ns, b.ess, a.end_ns, b.is_fold, b.index);
  });
  // The executions around the current one, outermost first.
  std::vector<size_t> around;
  for (size_t i = 0; i < items.size(); ++i) {
    TimingItem& item = items[i];
    const auto is_around = [&](const TimingItem& outer) {
      return outer.pid == item.pid && outer.tid == item.tid && outer.ess < item.ess &&
             outer.end_ns >= item.end_ns;
    };
    while (!around.empty() && !is_around(items[around.back()])) around.pop_back();
    if (!around.empty()) {
      const TimingItem& outer = items[around.back()];
      const bool same_trace = item.is_fold || outer.trace_id == item.trace_id;
      if (outer.ess + 1 == item.ess && same_trace) item.parent = int64_t(around.back());
    }
    if (!item.is_fold) around.push_back(i);
  }
  return items;
}

std::vector<int64_t> callers(const snapshot::ExecutionsView& view) {
  std::vector<int64_t> result(view.executions.size(), -1);
  const auto items = nested_items(view);
  for (const TimingItem& item : items)
    if (!item.is_fold && item.parent >= 0)
      result[item.index] = int64_t(items[size_t(item.parent)].index);
  return result;
}

}  // namespace compmond::diagrams
