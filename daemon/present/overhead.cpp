// SPDX-License-Identifier: Apache-2.0
#include "present/overhead.h"

#include <fmt/format.h>

#include "figures/call_costs.h"
#include "text/numbers.h"

namespace compmond::present {
namespace {

using trace::Closed;

// What the probes of these calls cost.
template <class Operations>
double calls_ns(const Operations& operations, const figures::CallCosts& costs) {
  double out = 0;
  for (size_t i = 0; i < operations.size(); ++i)
    out += double(operations[i].calls) * costs.total_ns(figures::OperationId(i));
  return out;
}

// What transfers of control cost in a window: of the run's, the share of executions that they left
// there.
double transfers_ns(const RunParts& run, const figures::Result& result) {
  constexpr Closed kLeft[] = {Closed::kAbandoned, Closed::kFailed, Closed::kJumped};
  uint64_t left = 0, of = 0;
  for (const Closed reason : kLeft) {
    of += run.checkpoint.trace.closed[size_t(reason)];
    for (const figures::Figures& f : result.operations) left += f.closed[size_t(reason)];
  }
  const double share = of > 0 ? double(left) / double(of) : 0;
  return share * plan::transfers_ns(run.plan, run.costs, run.checkpoint.trace.transfers);
}

std::string note_of(const plan::Costs::Class& which, double share) {
  const auto& [engine, site, exit] = which;
  return fmt::format(
      "calls seen at {} places ({}) leave room for {} of what their probes were measured to cost "
      "at start: that much is taken out, and marked ~ where it is more than a tenth",
      site, to_text(exit), text::percent(100 * share));
}

}  // namespace

void add_overhead(const RunParts& run, const figures::Model& model, const figures::Result& result,
                  std::optional<uint64_t> cpu_ns, snapshot::Snapshot& out) {
  snapshot::Health& health = out.health;
  for (const auto& [which, share] : run.costs.corrections())
    health.notes.push_back(note_of(which, share));
  const figures::CallCosts costs = figures::call_costs(model, run.checkpoint);
  const double cost_ns =
      cpu_ns ? calls_ns(result.operations, costs) + transfers_ns(run, result)
             : calls_ns(run.checkpoint.operations, costs) + double(run.states.busy().beside_ns) +
                   plan::transfers_ns(run.plan, run.costs, run.checkpoint.trace.transfers);
  const uint64_t of_ns = cpu_ns ? *cpu_ns : run.processes.cpu_used_ns();
  health.overhead_pct = of_ns > 0 ? 100.0 * cost_ns / double(of_ns) : 0.0;
  if (health.overhead_pct <= 100) return;
  health.overhead_pct = 100;
  const auto doubt = [](snapshot::Figures& f) { f.uncertain |= f.net_real_ns < f.real_ns; };
  for (snapshot::Component& component : out.components) {
    doubt(component.figures);
    for (snapshot::Operation& operation : component.operations) doubt(operation.figures);
  }
  health.notes.push_back(
      "by their costs as measured at start the probes took more than all of the CPU time: what was "
      "taken out of real times is too much, and net real times are too small");
}

}  // namespace compmond::present
