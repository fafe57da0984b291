// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/result.h"
#include "hindrance/hindrances.h"
#include "plan/planner.h"
#include "prepare/options.h"
#include "prepare/resolve.h"
#include "prepare/target_set.h"
#include "spec/model.h"

namespace compmond::prepare {

// The control side up to the plan: spec, processes, images, plan by these engines. Touches no
// process. Before any thread.
struct Prepared {
  spec::Spec spec;
  TargetSet targets;
  Resolved resolved;
  Result<hindrance::Hindrances> hindrances;  // that can be asked for later, or why they cannot
};
Result<Prepared> prepare(const TargetOptions& target, const PlanningOptions& planning,
                         std::vector<plan::PlannerOf> planners);

}  // namespace compmond::prepare
