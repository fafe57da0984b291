// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analysis/figures.h"
#include "app/run_parts.h"
#include "snapshot/snapshot.h"

namespace compmond::app {

// What a snapshot is to show of a run.
struct SnapshotChoice {
  analysis::Window window;
  std::string metric;  // name of an existing metric
  analysis::Filter filter = {};
};

snapshot::Snapshot build_snapshot(const RunParts& run, const SnapshotChoice& choice);

}  // namespace compmond::app
