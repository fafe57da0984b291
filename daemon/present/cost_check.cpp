// SPDX-License-Identifier: Apache-2.0
#include "figures/cost_check.h"

#include <fmt/format.h>

#include <vector>

#include "figures/call_costs.h"
#include "figures/trust.h"
#include "present/estimated.h"
#include "text/numbers.h"

namespace compmond::present {
namespace {

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
