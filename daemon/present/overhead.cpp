// SPDX-License-Identifier: Apache-2.0
#include "present/overhead.h"

#include <fmt/format.h>

#include <vector>

#include "figures/call_costs.h"
#include "figures/cost_check.h"
#include "figures/trust.h"
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

constexpr size_t kIntervals = 12;  // the newest two minutes: each asks for the calls of all

double charged_ns(const RunParts& run, const figures::Model& model, Window interval) {
  const figures::CallCosts costs = figures::call_costs(model, run.checkpoint);
  double out = 0;
  for (size_t i = 0; i < run.checkpoint.operations.size(); ++i) {
    const auto op = figures::OperationId(i);
    const double each = costs.total_ns(op);
    if (each <= 0 || run.checkpoint.operations[i].calls == 0) continue;
    out += each * double(run.store.tile_sum(op, interval.start_ns, interval.end_ns).calls);
  }
  return out;
}

// Where calls were lost nobody knows what the probes cost.
std::vector<figures::CostShares> shares_of(const RunParts& run, const figures::Model& model,
                                           Window window) {
  std::vector<figures::CostShares> out;
  for (const estimate::ProbeShare& one : run.samples->store.probe_shares(window, kIntervals)) {
    const Window interval = one.interval;
    if (one.cpu_ns == 0 || interval.end_ns > run.checkpoint.as_of_ns ||
        figures::misses_events(run.checkpoint, interval))
      continue;
    const double cpu = double(one.cpu_ns);
    out.push_back({interval, charged_ns(run, model, interval) / cpu, one.in_probes.value_ns / cpu,
                   one.in_probes.low_ns / cpu, one.in_probes.high_ns / cpu});
  }
  return out;
}

snapshot::Health::OverheadChecked said(const figures::CostCheck& check) {
  const figures::CostShares& newest = check.newest;
  return {newest.interval.start_ns,
          newest.interval.end_ns,
          100 * newest.by_costs,
          100 * newest.by_samples,
          100 * newest.low,
          100 * newest.high,
          check.intervals,
          check.apart,
          check.doubt};
}

std::string note_of(const figures::CostCheck& check) {
  const double share = 100 * check.newest.by_samples,
               half = 50 * (check.newest.high - check.newest.low);
  return fmt::format(
      "probes take {} ± {:.1f} % of the CPU time as samples see it, and {} by the costs that were "
      "measured at start: times with much of it taken out are uncertain. Probes of other tools on "
      "the same code count too (bpftool link); else start compmond again, which measures anew",
      text::percent(share), half, text::percent(100 * check.newest.by_costs));
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

void check_costs(const RunParts& run, const figures::Model& model, Window window,
                 snapshot::Snapshot& out) {
  if (!run.samples) return;
  const auto check = figures::check_costs(shares_of(run, model, window));
  if (!check) return;
  out.health.overhead_checked = said(*check);
  if (!check->doubt) return;
  out.health.notes.push_back(note_of(*check));
  const auto mark = [&](snapshot::Figures& f) {
    f.uncertain |= f.seen && figures::is_off(*check, f.real_ns, f.net_real_ns);
  };
  for (snapshot::Component& component : out.components) {
    mark(component.figures);
    for (snapshot::Operation& operation : component.operations) mark(operation.figures);
  }
}

}  // namespace compmond::present
