// SPDX-License-Identifier: Apache-2.0
#include "present/snapshot_builder.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>
#include <string>
#include <tuple>

#include "base/clock.h"
#include "figures/figures.h"
#include "figures/metric.h"
#include "figures/trust.h"
#include "machine/host.h"
#include "present/estimated.h"
#include "present/heat.h"
#include "present/overhead.h"
#include "present/slo.h"
#include "snapshot/doubt.h"

namespace compmond::present {
namespace {

using trace::Closed;

// `working`: without what only waits.
snapshot::Figures figures_of(const figures::Figures& f, const figures::Figures& working) {
  snapshot::Figures out;
  out.calls = f.calls;
  out.open = f.open;
  out.raw_ns = f.raw_ns;
  out.real_ns = f.real_ns;
  out.net_real_ns = f.net_real_ns;
  out.mean_ns = f.mean_ns;
  out.min_ns = f.min_ns;
  out.max_ns = f.max_ns;
  out.p50_ns = f.p50_ns;
  out.p90_ns = f.p90_ns;
  out.p99_ns = f.p99_ns;
  out.uncertain_below_ns = f.uncertain_below_ns;
  if (working.executions > 0) out.mean_real_ns = working.net_real_ns / working.executions;
  out.uncertain = f.uncertain;
  out.truncated = f.truncated;
  out.unsure_ns = f.unsure_ns;
  const auto closed = [&](Closed reason) { return f.closed[size_t(reason)]; };
  out.closed.returned = closed(Closed::kReturned);
  out.closed.failed = closed(Closed::kFailed);
  out.closed.jumped = closed(Closed::kJumped);
  out.closed.abandoned = closed(Closed::kAbandoned) + out.closed.failed + out.closed.jumped;
  out.closed.thread_exit = closed(Closed::kThreadExit);
  out.closed.exec = closed(Closed::kExec);
  out.closed.lossy = closed(Closed::kLossy);
  return out;
}

snapshot::Presence presence_of(const plan::OperationState& state) {
  if (state.refused()) return snapshot::Presence::kRefused;
  return state.paused() ? snapshot::Presence::kThrottled : snapshot::Presence::kAttached;
}

snapshot::Operation operation_of(const RunParts& in, size_t index, const figures::Result& result) {
  const plan::PlannedOperation& op = in.plan.operations[index];
  snapshot::Operation out;
  out.name = op.name;
  out.symbol = op.symbol;
  out.image = op.image >= 0 ? in.plan.images[size_t(op.image)].path : "";
  out.interface = Word<snapshot::Interface>(to_text(op.interface));
  out.exit_mode = observed_as(in.states[index], in.way(index));
  if (!in.states[index].refused()) {
    out.engine = in.way(index).engine;
    out.site = in.way(index).site;
    out.moved_by = in.way(index).moved_by;
  }
  out.state = presence_of(in.states[index]);
  out.since_ns = in.states[index].since_ns();
  out.reason = in.states[index].reason;
  out.figures = figures_of(result.operations[index], result.working_operations[index]);
  out.figures.slo = operation_slo(in, index, result.operations[index]);
  return out;
}

// Status of a component by its operations, or of one without any by those below it.
std::vector<snapshot::Status> statuses(const RunParts& in) {
  const size_t n = in.spec.components.size();
  std::vector<size_t> attached(n), refused(n);
  for (size_t i = 0; i < in.states.size(); ++i) {
    const auto component = size_t(in.plan.operations[i].component);
    const plan::OperationState& state = in.states[i];
    attached[component] += state.was_observed();
    refused[component] += state.refused() || state.paused();
  }
  for (size_t i = n; i-- > 0;) {  // parents stand before their children
    const int parent = in.spec.components[i].parent;
    if (parent < 0 || !in.spec.components[size_t(parent)].operations.empty()) continue;
    attached[size_t(parent)] += attached[i];
    refused[size_t(parent)] += refused[i];
  }
  std::vector<snapshot::Status> out;
  for (size_t i = 0; i < n; ++i)
    out.push_back(attached[i] == 0  ? snapshot::Status::kRefused
                  : refused[i] == 0 ? snapshot::Status::kAttached
                                    : snapshot::Status::kPartial);
  return out;
}

bool within(const RunParts& in, int component, int outer) {
  while (component >= 0 && component != outer)
    component = in.spec.components[size_t(component)].parent;
  return component == outer;
}

bool declared(const RunParts& in, int from, int to) {
  return std::ranges::any_of(in.spec.connections, [&](const spec::Connection& c) {
    return within(in, from, c.from) && within(in, to, c.to);
  });
}

std::vector<snapshot::Edge> edges_of(const RunParts& in, const figures::Result& result) {
  std::vector<snapshot::Edge> out;
  std::set<std::pair<int, int>> seen;
  for (const figures::Edge& edge : result.edges) {
    snapshot::Edge e;
    if (edge.from >= 0) e.from = in.spec.components[size_t(edge.from)].path;
    e.to = in.spec.components[size_t(edge.to)].path;
    e.count = edge.calls;
    e.raw_ns = edge.raw_ns;
    e.declared = edge.from >= 0 && declared(in, edge.from, edge.to);
    seen.insert({edge.from, edge.to});
    out.push_back(std::move(e));
  }
  const auto taken = [&](const spec::Connection& c) {
    return std::ranges::any_of(seen, [&](const std::pair<int, int>& edge) {
      return within(in, edge.first, c.from) && within(in, edge.second, c.to);
    });
  };
  // Declared but never seen, nor between what they contain.
  for (const spec::Connection& c : in.spec.connections)
    if (!taken(c))
      out.push_back({in.spec.components[size_t(c.from)].path, in.spec.components[size_t(c.to)].path,
                     0, 0, true});
  return out;
}

void add_components(const RunParts& in, const figures::Result& result, snapshot::Snapshot& out) {
  const bool lost = figures::misses_events(in.checkpoint, result.window);
  const std::vector<snapshot::Status> status = statuses(in);
  const auto operations = operations_by_component(in);
  const auto share = [&](const std::vector<size_t>& of) -> std::optional<double> {
    const double seen = observed_share(in, of, result.window);
    return seen < 1 ? std::optional(seen) : std::nullopt;
  };
  for (size_t i = 0; i < in.spec.components.size(); ++i) {
    const spec::Component& component = in.spec.components[i];
    snapshot::Component c;
    c.name = component.path;
    if (component.parent >= 0) c.parent = in.spec.components[size_t(component.parent)].path;
    c.color = component.color;
    c.kind = component.kind;
    c.status = status[i];
    c.figures = figures_of(result.components[i], result.working[i]);
    c.figures.waiting_ns = result.components[i].net_real_ns - result.working[i].net_real_ns;
    c.figures.slo = component_slo(in, int(i), result.components[i]);
    c.figures.observed_share = share(operations[i]);
    c.subtree = {result.subtrees[i].calls, result.subtrees[i].real_ns,
                 result.subtrees[i].net_real_ns};
    out.components.push_back(std::move(c));
  }
  for (size_t i = 0; i < in.plan.operations.size(); ++i) {
    snapshot::Operation op = operation_of(in, i, result);
    if (in.plan.operations[i].waiting) op.figures.waiting_ns = op.figures.net_real_ns;
    op.figures.observed_share = share({i});
    const bool unseen = in.states[i].unseen.within_ns(result.window) > 0;
    op.figures.at_least =
        in.states[i].was_observed() && (lost || unseen || op.figures.observed_share);
    snapshot::Component& component = out.components[size_t(in.plan.operations[i].component)];
    component.figures.at_least |= op.figures.at_least;
    if (figures::strays(in.checkpoint, figures::OperationId(i)) && op.figures.real_ns > 0)
      op.figures.uncertain = component.figures.uncertain = true;
    component.operations.push_back(std::move(op));
  }
}

// What is a sum of several has the marks of all of them, and their waiting.
void mark_sums(snapshot::Snapshot& out) {
  for (snapshot::Component& c : out.components) {
    const snapshot::Figures inside = figures_within(out.components, c);
    c.subtree.at_least = c.figures.at_least || inside.at_least;
    c.subtree.uncertain = (c.figures.uncertain && !only_counted(c)) || inside.uncertain;
    c.subtree.unsure_ns = c.figures.unsure_ns + inside.unsure_ns;
    c.subtree.waiting_ns = c.figures.waiting_ns + inside.waiting_ns;
  }
  for (snapshot::Edge& edge : out.edges) edge.at_least = misses_calls(out, edge);
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
    } else {
      ++out.attached;
      if (!in.way(i).sampled()) used.insert({in.way(i).engine, in.way(i).site, in.way(i).exit});
    }
  }
  for (const auto& [engine, site, exit] : used) {
    const plan::Cost cost = in.costs.at(engine, site, exit);
    out.probe_cost.push_back(
        {site, Word<snapshot::ExitMode>(to_text(exit)), cost.inside_ns, cost.outside_ns, engine});
  }
  out.engines = in.engines;
  if (!in.engines.empty()) out.attach = in.engines.front().attach;
  out.busy = busy_of(in);
  out.strangers = in.strangers;
  out.notes = in.notes;
  std::ranges::move(
      figures::doubts(in.checkpoint, [&](size_t i) { return in.plan.operations[i].name; }),
      std::back_inserter(out.notes));
  out.history_bytes = in.store.memory_bytes();
}

}  // namespace

snapshot::Snapshot build_snapshot(const RunParts& in, const SnapshotChoice& choice) {
  const figures::Model model = model_of(in);
  const Window window = choice.window;
  const figures::Metric& metric = *figures::metric(choice.metric);
  const figures::Result result =
      figures::figures(in.store, in.checkpoint, model, window, choice.filter);

  snapshot::Snapshot out;
  out.created = wall_clock_rfc3339();
  out.host = this_host();
  out.spec_name = in.spec.name;
  out.spec_path = in.spec.path;
  out.start_ns = in.checkpoint.start_ns;
  out.now_ns = in.checkpoint.as_of_ns;
  out.window_start_ns = window.start_ns;
  out.window_end_ns = window.end_ns;
  out.window_partial = result.partial;
  out.metric = metric.name();
  for (const target::ObservedProcess& process : in.processes.all())
    out.targets.push_back(target_of(process, in.build_id));
  out.targets_left_out = in.processes.forgotten();
  add_components(in, result, out);
  out.edges = edges_of(in, result);
  for (const auto& [info, calls, raw_ns] : result.threads)
    out.threads.push_back({info.pid, info.tid, info.name, calls, raw_ns});
  out.slo = objectives_view(in, model, result, choice.filter);
  add_health(in, out.health);
  add_overhead(in, model, result, choice.cpu_ns, out);
  std::optional<estimate::Estimates> estimates;
  if (in.samples) estimates.emplace(in.samples->store, window);
  const estimate::Estimates* samples = estimates ? &*estimates : nullptr;
  add_estimates(in, window, metric, samples, out);
  add_heat(in, model, choice, result, out);
  const auto counts = choice.filter.any() ? std::nullopt : add_counts(in, window, out);
  if (!choice.filter.any()) add_sliced(in, model, window, samples, out);
  note_away(in, window, counts, out);
  check_costs(in, model, window, out);
  mark_sums(out);
  return out;
}

}  // namespace compmond::present
