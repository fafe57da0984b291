// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "hindrance/hindrances.h"
#include "plan/planner.h"
#include "prepare/options.h"
#include "prepare/resolve.h"
#include "prepare/target_set.h"
#include "spec/model.h"

namespace compmond::prepare {

// As spec::load, of all of them.
Result<std::vector<spec::Spec>> load_specs(const PlanningOptions& planning);

struct PlanningEngines {
  std::vector<plan::PlannerOf> planners;
  std::vector<std::string> known;  // names that a spec may ask for
};

// The control side up to the plan: processes, images, plan of these specs by these engines. Touches
// no process. Before any thread.
struct Prepared {
  spec::Spec spec;
  TargetSet targets;
  Resolved resolved;
  Result<hindrance::Hindrances> hindrances;  // that can be asked for later, or why they cannot
};
Result<Prepared> prepare(const TargetOptions& target, const PlanningOptions& planning,
                         std::vector<spec::Spec> specs, PlanningEngines engines);

}  // namespace compmond::prepare
