// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/attach_kind.h"
#include "figures/figures.h"
#include "history/objectives.h"
#include "history/store.h"
#include "plan/cost.h"
#include "plan/plan.h"
#include "spec/model.h"
#include "target/observed.h"

namespace compmond::present {

// What a run consists of at one moment, wherever its events come from: all that snapshots and views
// are made of. Borrowed for the call; everything refers to the one checkpoint.
struct RunParts {
  const spec::Spec& spec;
  const plan::Plan& plan;
  const plan::CostTable& costs;
  AttachKind kind;
  const target::ObservedProcesses& processes;
  const std::vector<std::string>& notes;
  const history::Store& store;
  const history::Checkpoint& checkpoint;
  const std::string& build_id;  // of the main executable
  bool ended;                   // everything was drained: nothing may be pending
};

// 0: none, or it is only counted.
uint64_t objective_ns(const plan::PlannedOperation& operation);
history::Objectives objectives_of(const plan::Plan& plan);
figures::Model model_of(const RunParts& run);

}  // namespace compmond::present
