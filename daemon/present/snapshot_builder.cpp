// SPDX-License-Identifier: Apache-2.0
#include "present/snapshot_builder.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>

#include "base/clock.h"
#include "figures/figures.h"
#include "figures/metric.h"
#include "figures/trust.h"
#include "machine/host.h"
#include "present/estimated.h"
#include "present/health.h"
#include "present/heat.h"
#include "present/slo.h"
#include "snapshot/doubt.h"

namespace compmond::present {
namespace {

// Of the records: what is missing may be what ends, or nests in, any of the others.
constexpr double kMuch = 0.01;

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

// While exceptions were not watched, some of what was left for a reason that nobody saw may have
// been left by one.
void mark_failed(const RunParts& in, Window window, snapshot::Closed& closed) {
  closed.failed_at_least = closed.abandoned > closed.failed + closed.jumped &&
                           in.states.busy().transfers_away.within_ns(window) > 0;
}

snapshot::Presence presence_of(const plan::OperationState& state) {
  if (state.refused()) return snapshot::Presence::kRefused;
  if (state.is_off()) return snapshot::Presence::kDisabled;
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
  mark_failed(in, result.window, out.figures.closed);
  out.figures.slo = operation_slo(in, index, result.operations[index]);
  return out;
}

// Status of a component by its operations, or of one without any by those below it.
std::vector<snapshot::Status> statuses(const RunParts& in) {
  const size_t n = in.spec.components.size();
  std::vector<size_t> attached(n), missing(n), on(n);
  for (size_t i = 0; i < in.states.size(); ++i) {
    const auto component = size_t(in.plan.operations[i].component);
    const plan::OperationState& state = in.states[i];
    attached[component] += state.was_observed();
    missing[component] += !state.attached();
    on[component] += !state.is_off();
  }
  for (size_t i = n; i-- > 0;) {  // parents stand before their children
    const int parent = in.spec.components[i].parent;
    if (parent < 0 || !in.spec.components[size_t(parent)].operations.empty()) continue;
    attached[size_t(parent)] += attached[i];
    missing[size_t(parent)] += missing[i];
    on[size_t(parent)] += on[i];
  }
  std::vector<snapshot::Status> out;
  for (size_t i = 0; i < n; ++i)
    out.push_back(attached[i] == 0  ? snapshot::Status::kRefused
                  : missing[i] == 0 ? snapshot::Status::kAttached
                  : on[i] == 0      ? snapshot::Status::kDisabled
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
  const bool much = figures::lost_share(in.checkpoint, result) > kMuch;
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
    mark_failed(in, result.window, c.figures.closed);
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
    if ((much || figures::strays(in.checkpoint, figures::OperationId(i))) && op.figures.real_ns > 0)
      op.figures.uncertain = component.figures.uncertain = true;
    component.operations.push_back(std::move(op));
  }
}

// What is a sum of several has the marks of all of them, and their waiting.
void mark_sums(snapshot::Snapshot& out) {
  for (snapshot::Component& c : out.components) {
    const snapshot::Figures inside = figures_within(out.components, c);
    c.subtree.at_least = inside.at_least;
    c.subtree.uncertain = inside.uncertain;
    c.subtree.unsure_ns = inside.unsure_ns;
    c.subtree.waiting_ns = inside.waiting_ns;
  }
  for (snapshot::Edge& edge : out.edges) edge.at_least = misses_calls(out, edge);
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
    out.targets.push_back(target_of(process, in.programs));
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
