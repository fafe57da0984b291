// SPDX-License-Identifier: Apache-2.0
#pragma once

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

// Says whether samples agree with what the probes are charged with, in the newest intervals of the
// window; where they do not, marks the times that rest on it. Nothing where samples do not tell, or
// there is no such interval yet. `out` has its figures.
void check_costs(const RunParts& run, const figures::Model& model, Window window,
                 snapshot::Snapshot& out);

// Puts into a snapshot of that window how often was called what the budget kept away: the calls
// that were seen, and what slices tell of the time in which it was away; or why that is not told.
// Nothing where the run makes no slices. `out` has its figures.
void add_counts(const RunParts& run, Window window, snapshot::Snapshot& out);

}  // namespace compmond::present
