// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "figures/metric.h"
#include "present/snapshot_builder.h"

namespace compmond::present {

// Puts into a snapshot, whose figures are there, how hot its components and operations are by the
// metric, and what 100 is. `result` is what probes saw of its window. The estimates that the
// snapshot has rank where they tell its times, or where the metric is theirs.
void add_heat(const RunParts& run, const figures::Model& model, const SnapshotChoice& choice,
              const figures::Result& result, snapshot::Snapshot& out);

// What deviations are from: the components and operations of a saved snapshot.
Baseline baseline_of(const snapshot::Snapshot& saved);

}  // namespace compmond::present
