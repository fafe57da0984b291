// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/window.h"
#include "estimate/estimates.h"
#include "figures/metric.h"
#include "present/run_parts.h"
#include "snapshot/snapshot.h"

namespace compmond::present {

// Puts into a snapshot of that window what its samples tell: beside what probes saw, and in place
// of what they could not see. Nothing where the run has no samples. Filters by executions do not
// apply to samples. `estimates` are the window's, null: the run has none.
void add_estimates(const RunParts& run, Window window, const figures::Metric& metric,
                   const estimate::Estimates* estimates, snapshot::Snapshot& out);

// The newest slices that lie in that window, at most Health::kMostSlices.
std::vector<snapshot::Health::Slice> slices_in(const RunParts& run, Window window);

// What slices tell of the calls of the operations that were away in a window.
struct CountsTold {
  uint64_t known = 0;                       // operations
  double widest = 0;                        // of these: half of an interval, as a part of its value
  std::map<std::string, uint64_t> reasons;  // of the others, how many
  // Where most of these lack slices: how many there are with the one that lacks the fewest.
  std::optional<uint32_t> slices;
  uint64_t slices_of_run = 0;
  double share = 0;  // of the window's time, all slices
};

// Puts into a snapshot of that window how often was called what the budget kept away: the calls
// that were seen, and what slices tell of the time in which it was away; or why that is not told.
// None: the run makes no slices, or nothing was away. `out` has its figures.
std::optional<CountsTold> add_counts(const RunParts& run, Window window, snapshot::Snapshot& out);

// Says first among the notes of a snapshot what probes that were away in its window mean for it,
// and what one can do: where samples tell its times, and the run was busy. `counts`: none are told.
// Samples and counts are in `out`.
void note_away(const RunParts& run, Window window, const std::optional<CountsTold>& counts,
               snapshot::Snapshot& out);

// Likewise of edges: calls from slices that saw all that may lie between, with those that were seen
// while nothing was away; or why that is not told. And what slices saw of how long single
// executions took, where they were away for most of the time. `estimates` are the window's, null:
// the run has none. `out` has its counts.
void add_sliced(const RunParts& run, const figures::Model& model, Window window,
                const estimate::Estimates* estimates, snapshot::Snapshot& out);

}  // namespace compmond::present
