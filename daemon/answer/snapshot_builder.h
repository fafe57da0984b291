// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analysis/figures.h"
#include "answer/run_parts.h"
#include "snapshot/snapshot.h"

namespace compmond::answer {

// What a snapshot is to show of a run.
struct SnapshotChoice {
  analysis::Window window;
  std::string metric;  // name of an existing metric
  analysis::Filter filter = {};
};

snapshot::Snapshot build_snapshot(const RunParts& run, const SnapshotChoice& choice);

}  // namespace compmond::answer
