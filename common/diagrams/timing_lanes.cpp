// SPDX-License-Identifier: Apache-2.0
#include "diagrams/timing_lanes.h"

#include <algorithm>
#include <utility>

namespace compmond::diagrams {
namespace {

using Interval = std::pair<uint64_t, uint64_t>;

// Both sorted and without overlaps of their own.
bool overlap(const std::vector<Interval>& one, const std::vector<Interval>& other) {
  for (auto a = one.begin(), b = other.begin(); a != one.end() && b != other.end();) {
    if (a->second <= b->first)
      ++a;
    else if (b->second <= a->first)
      ++b;
    else
      return true;
  }
  return false;
}

// What one thread does in one column.
struct Run {
  int column = 0;
  std::vector<size_t> items;
  std::vector<Interval> busy;
  std::vector<uint64_t> ends;  // of the items around the current one

  void add(size_t index, const TimingItem& item, TimingPlace& place) {
    while (!ends.empty() && ends.back() <= item.start_ns) ends.pop_back();
    place.depth = int(ends.size());
    // Something that only partly overlaps its predecessor stands beside it at the same depth.
    if (!ends.empty() && ends.back() < item.end_ns) --place.depth;
    items.push_back(index);
    ends.push_back(item.end_ns);
    // At least a moment, so that two threads that do something at once are told apart.
    const uint64_t end = std::max(item.end_ns, item.start_ns + 1);
    if (busy.empty() || busy.back().second <= item.start_ns)
      busy.emplace_back(item.start_ns, end);
    else
      busy.back().second = std::max(busy.back().second, end);
  }
};

}  // namespace

TimingLanes assign_lanes(const std::vector<TimingItem>& items, const std::vector<int>& column_of,
                         size_t columns, int64_t thread) {
  TimingLanes result;
  result.places.resize(items.size());
  result.lanes.resize(columns);
  std::vector<std::vector<std::vector<Interval>>> lanes(columns);
  std::vector<Run> runs(columns);
  std::vector<size_t> touched;
  const auto finish_thread = [&] {
    for (const size_t column : touched) {
      Run& run = runs[column];
      auto& busy = lanes[column];
      size_t lane = 0;
      while (lane < busy.size() && overlap(busy[lane], run.busy)) ++lane;
      if (lane == busy.size()) busy.emplace_back();
      std::vector<Interval> merged(busy[lane].size() + run.busy.size());
      std::merge(busy[lane].begin(), busy[lane].end(), run.busy.begin(), run.busy.end(),
                 merged.begin());
      busy[lane] = std::move(merged);
      for (const size_t i : run.items) result.places[i].lane = int(lane);
      run = {};
    }
    touched.clear();
  };
  for (size_t i = 0; i < items.size(); ++i) {
    const TimingItem& item = items[i];
    if (i > 0 && (items[i - 1].tid != item.tid || items[i - 1].pid != item.pid)) finish_thread();
    if (item.operation >= column_of.size() || (thread >= 0 && item.tid != thread)) continue;
    const int column = column_of[item.operation];
    if (column < 0 || size_t(column) >= columns) continue;
    Run& run = runs[size_t(column)];
    if (run.items.empty()) touched.push_back(size_t(column));
    run.add(i, item, result.places[i]);
  }
  finish_thread();
  for (size_t column = 0; column < columns; ++column)
    result.lanes[column] = int(lanes[column].size());
  return result;
}

}  // namespace compmond::diagrams
