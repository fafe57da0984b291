// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "figures/figures.h"

namespace compmond::figures {

// How many raw times lie in [from_ns, to_ns).
struct Bucket {
  uint64_t from_ns = 0, to_ns = 0, count = 0;
  bool operator==(const Bucket&) const = default;
};

// Raw times of the executions that ended in the window and pass the filter, entry-only ones left
// out: at most 64 buckets side by side from the shortest to the longest, each power of two divided
// into the same number of equal parts (16 at most). Empty where nothing ended. Counts are exact.
// The whole run comes from totals where the filter names components and operations only, any other
// window from one pass over what is retained of it.
std::vector<Bucket> distribution(const history::Store& store, const history::Checkpoint& checkpoint,
                                 const Model& model, Window window, const Filter& filter = {});

}  // namespace compmond::figures
