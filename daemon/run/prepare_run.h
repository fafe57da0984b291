// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "prepare/options.h"
#include "run/live_run.h"

namespace compmond::run {

// As prepare::prepare, then finds out which engines work here and what observed calls cost.
Result<LiveRun::Parts> prepare_run(const prepare::TargetOptions& target,
                                   const prepare::PlanningOptions& planning);

}  // namespace compmond::run
