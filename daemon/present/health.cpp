// SPDX-License-Identifier: Apache-2.0
#include "present/health.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
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

constexpr double kToldAtLeast = 1e-6;  // of the records
constexpr size_t kIntervals = 12;      // the newest two minutes: each asks for the calls of all

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

std::optional<snapshot::Health::Busy> busy_of(const RunParts& in) {
  const plan::Busy& busy = in.states.busy();
  if (busy.spans.empty()) return std::nullopt;
  snapshot::Health::Busy out{busy.now(), busy.whole_pct, {}};
  for (const Window& span : busy.spans)
    out.spans.push_back(
        {span.start_ns, std::max(span.start_ns, std::min(span.end_ns, in.checkpoint.as_of_ns))});
  return out;
}

}  // namespace

void add_health(const RunParts& in, snapshot::Health& out) {
  const record::Ledger& capture = in.checkpoint.capture;
  const trace::Ledger& trace = in.checkpoint.trace;
  out.hits = capture.hits;
  out.delivered = capture.delivered;
  out.lost = capture.lost();
  out.lost_ring = capture.lost_ring;
  out.lost_slots = capture.lost_slots;
  out.lost_log = capture.lost_log;
  out.lost_refused = capture.lost_refused;
  out.pending = capture.pending;
  out.entries = trace.entries;
  out.orphan_exits = trace.orphan_exits;
  out.failed = trace.closed[size_t(Closed::kFailed)];
  out.jumped = trace.closed[size_t(Closed::kJumped)];
  out.abandoned = trace.closed[size_t(Closed::kAbandoned)] + out.failed + out.jumped;
  out.failed_at_least =
      trace.closed[size_t(Closed::kAbandoned)] > 0 && !in.states.busy().transfers_away.empty();
  out.transfers =
      std::accumulate(std::begin(trace.transfers), std::end(trace.transfers), uint64_t(0));
  out.open = trace.open;
  out.clamped = trace.clamped;
  out.evicted = trace.evicted;
  out.stack_switches = trace.stack_switches;
  out.balanced = figures::accounts_hold(in.checkpoint) && !(in.ended && capture.pending > 0);
  std::set<std::tuple<std::string, std::string, spec::ExitMode>> used;  // as costs go by
  for (size_t i = 0; i < in.states.size(); ++i) {
    const plan::PlannedOperation& op = in.plan.operations[i];
    if (in.states[i].refused()) {
      out.refused.push_back({op.symbol.empty() ? op.name : op.symbol, in.states[i].reason});
    } else if (in.states[i].paused()) {
      out.throttled.push_back(op.name);
    } else if (in.states[i].is_off()) {
      out.disabled.push_back(op.name);
    } else {
      ++out.attached;
    }
    if (!in.states[i].refused() && !in.way(i).sampled())
      used.insert({in.way(i).engine, in.way(i).site, in.way(i).exit});
  }
  for (const auto& [engine, site, exit] : used) {
    const plan::Cost cost = in.costs.at(engine, site, exit);
    if (site.empty() && cost.inside_ns + cost.outside_ns <= 0)
      continue;  // in logs of Kieker: unknown
    out.probe_cost.push_back(
        {site, Word<snapshot::ExitMode>(to_text(exit)), cost.inside_ns, cost.outside_ns, engine});
  }
  out.engines = in.engines;
  if (!in.engines.empty()) out.attach = in.engines.front().attach;
  out.busy = busy_of(in);
  for (const plan::Switch& one : in.states.switches())
    out.switches.push_back({one.at_ns, one.on, one.what});
  out.probes_paused = in.states.switches().all_off();
  out.strangers = in.strangers;
  out.notes = in.notes;
  std::ranges::move(figures::doubts(
                        in.checkpoint, [&](size_t i) { return in.plan.operations[i].name; },
                        in.states.switches().begin() != in.states.switches().end()),
                    std::back_inserter(out.notes));
  out.history_bytes = in.store.memory_bytes();
}

void add_overhead(const RunParts& run, const figures::Model& model, const figures::Result& result,
                  std::optional<uint64_t> cpu_ns, snapshot::Snapshot& out) {
  snapshot::Health& health = out.health;
  for (const auto& [which, share] : run.costs.corrections())
    health.notes.push_back(note_of(which, share));
  const double transfers_in_all =
      plan::transfers_ns(run.plan, run.costs, run.checkpoint.trace.transfers);
  health.transfers_ns = uint64_t(transfers_in_all);
  health.beside_ns = run.states.busy().beside_ns;
  const figures::CallCosts costs = figures::call_costs(model, run.checkpoint);
  const record::Ledger& records = run.checkpoint.capture;
  const double lost = cpu_ns ? figures::lost_share(run.checkpoint, result)
                             : double(records.lost()) / double(std::max<uint64_t>(1, records.hits));
  const double each = 1 / std::max(kToldAtLeast, 1 - lost);  // those that were lost cost as much
  const double of_calls_ns =
      cpu_ns ? calls_ns(result.operations, costs) : calls_ns(run.checkpoint.operations, costs);
  const double beside_calls_ns =
      cpu_ns ? transfers_ns(run, result) : transfers_in_all + double(run.states.busy().beside_ns);
  const double cost_ns = each * of_calls_ns + beside_calls_ns;
  const uint64_t of_ns = cpu_ns ? *cpu_ns : run.processes.cpu_used_ns();
  health.overhead_pct = of_ns > 0 ? 100.0 * cost_ns / double(of_ns) : 0.0;
  constexpr double kInOnCpu = 0.05;
  if (run.samples && transfers_in_all > kInOnCpu * double(run.processes.cpu_used_ns()))
    health.notes.push_back(
        "watching exceptions and jumps took much of the CPU time: where they are thrown and "
        "caught, "
        "'on CPU' has that in it");
  if (health.overhead_pct <= 100) return;
  health.overhead_pct = 100;
  if (of_calls_ns <= double(of_ns)) {
    health.notes.push_back(
        "by their costs as measured at start, on a machine that may have been busier then, the "
        "probes took more than all of the CPU time: the overhead is less than is said");
    return;
  }
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
