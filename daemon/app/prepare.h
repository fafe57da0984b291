// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/options.h"
#include "app/session.h"
#include "base/result.h"

namespace compmond::app {

// The control side up to the plan: spec, processes, images, plan. Touches no process.
struct Prepared {
  spec::Spec spec;
  TargetSet targets;
  Resolved resolved;
};
Result<Prepared> prepare(const TargetOptions& target, const PlanningOptions& planning);

// As above, then finds out how this kernel attaches and what probes cost here.
Result<Session::Parts> prepare_session(const TargetOptions& target,
                                       const PlanningOptions& planning);

}  // namespace compmond::app
