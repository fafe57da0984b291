// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "plan/cost.h"
#include "plan/plan.h"
#include "plan/states.h"
#include "spec/model.h"

namespace compmond::check {

// A plan as `compmond check` shows it: nothing is attached. Borrows the spec.
struct Shown {
  Shown(const spec::Spec& its_spec, plan::Plan its_plan, plan::Costs its_costs)
      : spec(its_spec), plan(std::move(its_plan)), states(plan), costs(std::move(its_costs)) {}

  const spec::Spec& spec;
  const plan::Plan plan;
  const plan::OperationStates states;
  const plan::Costs costs;

  size_t size() const { return states.size(); }
  bool refused(size_t i) const { return states[i].refused(); }
  const plan::Way& way(size_t i) const { return plan::way_of(plan, states, i); }
  double cost_ns(size_t i) const { return costs.at(way(i)).total_ns(); }  // of a call
};

// Beside "as": how the costs of a call are known.
inline std::string_view known_how(const plan::Costs& costs) {
  return costs.measured() ? "measured on this machine" : "a typical value (run as root to measure)";
}

}  // namespace compmond::check
