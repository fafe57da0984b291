// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "figures/figures.h"
#include "present/run_parts.h"
#include "snapshot/snapshot.h"

namespace compmond::present {

// What a snapshot is to show of a run.
struct SnapshotChoice {
  Window window;
  std::string metric;  // name of an existing metric; empty: the first
  figures::Filter filter = {};
};

snapshot::Snapshot build_snapshot(const RunParts& run, const SnapshotChoice& choice);

}  // namespace compmond::present
