// SPDX-License-Identifier: Apache-2.0
#include "present/run_parts.h"

#include <algorithm>
#include <cmath>

namespace compmond::present {

uint64_t objective_ns(const plan::PlannedOperation& operation) {
  if (!(operation.slo_ms > 0) || operation.exit_mode == plan::ExitMode::kEntryOnly) return 0;
  constexpr double kMostMs = 1e9;  // as in a spec; a log may say anything
  return std::max<uint64_t>(1, uint64_t(std::llround(std::min(operation.slo_ms, kMostMs) * 1e6)));
}

history::Objectives objectives_of(const plan::Plan& plan) {
  std::vector<uint64_t> ns;
  for (const plan::PlannedOperation& op : plan.operations) ns.push_back(objective_ns(op));
  return history::Objectives(std::move(ns));
}

figures::Model model_of(const RunParts& run) {
  figures::Model model;
  for (const plan::PlannedOperation& op : run.plan.operations) {
    const plan::Cost cost = run.costs.at(op.entry_site, op.exit_mode);
    model.component_of.push_back(op.component);
    model.inside_ns.push_back(cost.inside_ns);
    model.outside_ns.push_back(cost.outside_ns);
  }
  for (const spec::Component& component : run.spec.components)
    model.parent_of.push_back(component.parent);
  model.objectives = objectives_of(run.plan);
  return model;
}

}  // namespace compmond::present
