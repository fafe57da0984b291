// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "plan/cost.h"
#include "plan/plan.h"
#include "plan/states.h"
#include "slicing/loads.h"

namespace compmond::run {

using Ways = std::vector<const plan::Way*>;  // per operation, of the plan

inline Ways ways_in_use(const plan::Plan& plan, const plan::OperationStates& states) {
  Ways out;
  for (size_t i = 0; i < plan.operations.size(); ++i) out.push_back(&plan::way_of(plan, states, i));
  return out;
}

// What a call of each is said to cost, before slices tell.
inline Loads::Costs priors(const Ways& ways, const plan::Costs& costs) {
  Loads::Costs out;
  for (const plan::Way* way : ways) {
    out.calls_ns.push_back(std::max(1.0, costs.at(*way).total_ns()));
    out.entries_ns.push_back(std::max(1.0, costs.at(*way, plan::See::kEntries).total_ns()));
  }
  return out;
}

}  // namespace compmond::run
