// SPDX-License-Identifier: Apache-2.0
#include "present/run_parts.h"

#include <algorithm>
#include <cmath>

#include "trace/execution.h"

namespace compmond::present {

counts::Count settled(const RunParts& run, counts::Count count, size_t operation,
                      const std::vector<Window>& away) {
  using enum counts::NotTold;
  const auto& [store, singles, too_hot, was_too_hot_until_ns, stopped] = *run.slices;
  const plan::Spans& off = run.states[operation].off;
  if (std::ranges::any_of(away, [&](const Window& time) { return off.within_ns(time) > 0; }))
    return {.why = kSwitchedOff, .seen = count.seen, .slices = count.slices};
  if (count.told()) {
    const uint64_t since_ns = away.empty() ? 0 : away.front().start_ns;
    const bool was_hot =
        operation < was_too_hot_until_ns.size() && was_too_hot_until_ns[operation] > since_ns;
    return was_hot ? counts::Count{.why = kWasHot, .seen = count.seen, .slices = count.slices}
                   : count;
  }
  if (stopped && (count.why == kFewSlices || count.why == kUncounted)) count.why = kStopped;
  if (operation < too_hot.size() && too_hot[operation]) count.why = kTooHot;
  return count;
}

Word<snapshot::ExitMode> observed_as(const plan::OperationState& state, const plan::Way& way) {
  if (state.refused()) return snapshot::ExitMode::kRefused;
  if (way.sampled()) return snapshot::ExitMode::kNone;
  switch (way.exit) {
    case spec::ExitMode::kReturnProbe:
      return snapshot::ExitMode::kReturnProbe;
    case spec::ExitMode::kRetSites:
      return snapshot::ExitMode::kRetSites;
    case spec::ExitMode::kEntryOnly:
      return snapshot::ExitMode::kEntryOnly;
    case spec::ExitMode::kAuto:
      break;  // of a spec, not of a plan
  }
  return {};
}

std::vector<std::vector<size_t>> operations_by_component(const RunParts& run) {
  std::vector<std::vector<size_t>> out(run.spec.components.size());
  for (size_t i = 0; i < run.plan.operations.size(); ++i)
    out[size_t(run.plan.operations[i].component)].push_back(i);
  return out;
}

double observed_share(const RunParts& run, const std::vector<size_t>& operations, Window window) {
  window = common(window, {run.checkpoint.start_ns, run.checkpoint.as_of_ns});
  if (window.length() == 0) return 1;
  uint64_t away = 0;
  for (const Window& span : plan::away_in(run.states, operations, window)) away += span.length();
  return 1 - double(away) / double(window.length());
}

uint64_t objective_ns(const plan::PlannedOperation& operation, const plan::Way& way) {
  if (!(operation.slo_ms > 0) || !way.timed()) return 0;
  constexpr double kMostMs = 1e9;  // as in a spec; a log may say anything
  return std::max<uint64_t>(1, uint64_t(std::llround(std::min(operation.slo_ms, kMostMs) * 1e6)));
}

uint64_t objective_ns(const RunParts& run, size_t operation) {
  return objective_ns(run.plan.operations[operation], run.way(operation));
}

history::Objectives objectives_of(const plan::Plan& plan, const plan::OperationStates& states) {
  std::vector<uint64_t> ns;
  for (size_t i = 0; i < plan.operations.size(); ++i)
    ns.push_back(objective_ns(plan.operations[i], plan::way_of(plan, states, i)));
  return history::Objectives(std::move(ns));
}

figures::Model model_of(const RunParts& run) {
  figures::Model model;
  for (size_t i = 0; i < run.plan.operations.size(); ++i) {
    model.waits.push_back(run.plan.operations[i].waiting);
    const plan::Cost cost = run.costs.at(run.way(i));
    model.corrected.push_back(run.costs.corrections().contains(plan::Costs::class_of(run.way(i))));
    model.component_of.push_back(run.plan.operations[i].component);
    model.inside_ns.push_back(cost.inside_ns);
    model.outside_ns.push_back(cost.outside_ns);
    model.cheap_less_ns.push_back(cost.cheap_less_ns);
    model.left_inside_less_ns.push_back(cost.left_inside_less_ns);
    model.left_outside_less_ns.push_back(cost.left_outside_less_ns);
    model.stay_ns.push_back(cost.stay_ns);
  }
  for (const spec::Component& component : run.spec.components)
    model.parent_of.push_back(component.parent);
  model.objectives = objectives_of(run.plan, run.states);
  model.raw_costs = run.raw_costs;
  return model;
}

estimate::Model estimate_model_of(const spec::Spec& spec, const plan::Plan& plan) {
  estimate::Model out;
  for (const plan::PlannedOperation& op : plan.operations) {
    estimate::Model::Operation& to = out.operations.emplace_back();
    to.component = op.component;
    to.waits = op.waiting;
    if (op.image >= 0) {
      to.device = plan.images[size_t(op.image)].device;
      to.inode = plan.images[size_t(op.image)].inode;
    }
    const auto way = std::ranges::find_if(op.ways, &plan::Way::sampled);
    if (way == op.ways.end()) continue;
    for (const elf::Image::Range& range : way->code) to.ranges.push_back({range.vaddr, range.size});
    to.ends_in_jump = way->ends_in_jump;
  }
  for (const spec::Component& component : spec.components)
    out.parent_of.push_back(component.parent);
  return out;
}

Word<snapshot::Ending> ending_of(const figures::Single& single) {
  using snapshot::Ending;
  if (single.open) return Ending::kOpen;
  switch (single.execution.reason) {
    case trace::Closed::kReturned:
      return Ending::kReturned;
    case trace::Closed::kAbandoned:
      return Ending::kAbandoned;
    case trace::Closed::kThreadExit:
      return Ending::kThreadExit;
    case trace::Closed::kExec:
      return Ending::kExec;
    case trace::Closed::kLossy:
      return Ending::kLossy;
    case trace::Closed::kFailed:
      return Ending::kFailed;
    case trace::Closed::kJumped:
      return Ending::kJumped;
  }
  return {};
}

}  // namespace compmond::present
