// SPDX-License-Identifier: Apache-2.0
#include "app/run_parts.h"

namespace compmond::app {

analysis::Model model_of(const RunParts& run) {
  analysis::Model model;
  for (const probe::PlannedOperation& op : run.plan.operations) {
    const probe::Cost cost = run.costs.at(op.entry_site, op.exit_mode);
    model.component_of.push_back(op.component);
    model.inside_ns.push_back(cost.inside_ns);
    model.outside_ns.push_back(cost.outside_ns);
  }
  for (const spec::Component& component : run.spec.components)
    model.parent_of.push_back(component.parent);
  return model;
}

}  // namespace compmond::app
