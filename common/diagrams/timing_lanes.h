// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagrams/timing_nesting.h"

namespace compmond::diagrams {

// Where in its column an item stands.
struct TimingPlace {
  int lane = -1;  // -1: not shown
  int depth = 0;  // items of the same column and thread around it
};
struct TimingLanes {
  std::vector<TimingPlace> places;  // per item
  std::vector<int> lanes;           // per column, how many
};

// `items` as nested_items() gives them, `column_of` per operation. Two threads share a lane where
// their executions never overlap; threads take the first free lane in the order of their numbers,
// so that lanes keep their threads while time moves on.
TimingLanes assign_lanes(const std::vector<TimingItem>& items, const std::vector<int>& column_of,
                         size_t columns, int64_t thread);

}  // namespace compmond::diagrams
