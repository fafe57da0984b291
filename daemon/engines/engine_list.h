// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/engines.h"
#include "plan/cost.h"
#include "plan/planner.h"
#include "prepare/options.h"

namespace compmond::engines {

// Every engine of this build that may be at work, in the order in which they are tried: a new one
// is added here. One that writes into the targets only where that is allowed.
engine::Engines all_engines(const prepare::EngineOptions& options = {});
// The chosen ones. Of one that may only plan, those that see calls in its place.
engine::Engines engine_list(const prepare::EngineOptions& options);
// Of all engines, those that may only plan, too.
std::vector<std::string> all_names();

// An engine that writes into the targets, for `compmond check`: its plan alone.
struct OnlyPlanned {
  plan::PlannerOf planner;             // has its name
  std::function<plan::Costs()> costs;  // of a call: measured on the spot, else expected
};
std::vector<OnlyPlanned> only_planned();
std::optional<OnlyPlanned> only_planned(const std::string& name);

// As given, else what goes with the choice: fewer where samples only stand beside probes.
double samples_hz(const prepare::EngineOptions& options);

}  // namespace compmond::engines
