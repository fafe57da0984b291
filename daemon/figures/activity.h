// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "figures/figures.h"

namespace compmond::figures {

// What each component did over time, in equal columns of a window: column i of n covers
// [start + span·i/n, start + span·(i+1)/n), rounded down.
struct Activity {
  std::vector<std::vector<uint64_t>> real_ns;  // per component and column, of its own operations
  std::vector<uint64_t> lost;  // records per column; empty: none in the window. Those of a span of
                               // time are spread over its columns, 1 in each at least
  // Executions of a component's own operations that missed their objective, by the column in which
  // they ended; by component and column, only where there were any.
  struct Violations {
    uint32_t component = 0, column = 0;
    uint64_t count = 0;
    bool operator==(const Violations&) const = default;
  };
  std::vector<Violations> violations;
};

// Costs columns × operations, however long the run is. Times are as exact as the tiles that hold
// them (history::Store::tiles); what is on top at the checkpoint's now counts up to there. Tiles
// know operations only, so of a filter its components and operations apply. A stretch that ends
// between the checkpoint and this call is counted twice.
Activity activity(const history::Store& store, const history::Checkpoint& checkpoint,
                  const Model& model, Window window, size_t columns, const Filter& filter = {});

}  // namespace compmond::figures
