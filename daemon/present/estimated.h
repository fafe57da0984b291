// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimate/estimates.h"
#include "estimate/model.h"
#include "figures/figures.h"
#include "figures/metric.h"
#include "present/run_parts.h"
#include "snapshot/snapshot.h"

namespace compmond::present {

// Where the operations' code lies, for whom stacks are all there is.
estimate::Model estimate_model_of(const spec::Spec& spec, const plan::Plan& plan);

snapshot::Estimate estimate_of(const estimate::Estimate& estimate);

// Puts into a snapshot of that window what its samples tell: beside what probes saw, and in place
// of what they could not see. Nothing where the run has no samples. Filters by executions do not
// apply to samples.
void add_estimates(const RunParts& run, Window window, const figures::Metric& metric,
                   snapshot::Snapshot& out);

}  // namespace compmond::present
