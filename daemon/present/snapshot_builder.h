// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "figures/figures.h"
#include "present/run_parts.h"
#include "protocol/view_request.h"
#include "snapshot/snapshot.h"

namespace compmond::present {

// What a snapshot is to show of a run.
struct SnapshotChoice {
  Window window;
  std::string metric;  // name of an existing metric; empty: the first
  figures::Filter filter = {};
  // What the targets used in the window: the overhead is that of the window. None: since the run
  // began, whatever the window.
  std::optional<uint64_t> cpu_ns = std::nullopt;
  snapshot::HeatWish heat = {};
};

snapshot::Snapshot build_snapshot(const RunParts& run, const SnapshotChoice& choice);

}  // namespace compmond::present
