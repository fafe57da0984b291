// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/figures.h"
#include "app/observed.h"
#include "base/attach_kind.h"
#include "history/store.h"
#include "probe/cost.h"
#include "probe/plan.h"
#include "snapshot/snapshot.h"
#include "spec/model.h"

namespace compmond::app {

// What a snapshot is made of; borrowed for the call.
struct SnapshotInput {
  const spec::Spec& spec;
  const probe::Plan& plan;
  const probe::CostTable& costs;
  AttachKind kind;
  const ObservedProcesses& processes;
  const std::vector<std::string>& notes;
  const history::Store& store;
  const history::Checkpoint& checkpoint;
  double window_s;              // <= 0: the whole run
  const std::string& metric;    // name of an existing metric
  const std::string& build_id;  // of the main executable
  bool ended;                   // everything was drained: nothing may be pending
  std::optional<analysis::Window> window = std::nullopt;  // instead of the last window_s
};

snapshot::Snapshot build_snapshot(const SnapshotInput& input);

}  // namespace compmond::app
