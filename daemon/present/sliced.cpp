// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "figures/figures.h"
#include "present/estimated.h"
#include "present/estimated_parts.h"
#include "present/known.h"

namespace compmond::present {
namespace {

using Components = std::pair<int, int>;  // caller and callee

constexpr double kMostly = 0.5;  // of a window, for which probes were there

// A window's times in which something was away, and those in which nothing was.
struct Times {
  std::vector<Window> busy, whole;
};

Times times_of(const RunParts& run, Window window) {
  window = common(window, {run.checkpoint.start_ns, run.checkpoint.as_of_ns});
  plan::Spans away;
  for (const plan::OperationState& state : run.states)
    if (!state.refused())
      for (const Window& span : state.away) away.add(span);
  Times out;
  uint64_t until = window.start_ns;
  for (const Window& span : away) {
    const Window part = common(span, window);
    if (part.length() == 0) continue;
    if (part.start_ns > until) out.whole.push_back({until, part.start_ns});
    out.busy.push_back(part);
    until = part.end_ns;
  }
  if (window.end_ns > until) out.whole.push_back({until, window.end_ns});
  return out;
}

struct EdgeCalls {
  double calls = 0, error = 0;
  bool estimated = false;  // a part of it is
  std::string why_not;     // of what is missing
};

class Edges {
 public:
  Edges(const RunParts& run, const figures::Model& model, Window window)
      : run_(run), times_(times_of(run, window)) {
    add_estimates();
    add_exact(model);
  }

  void put(snapshot::Snapshot& out) const {
    for (const auto& [between, calls] : edges_) {
      if (!calls.estimated) continue;
      snapshot::Edge& edge = find(between, out.edges);
      if (!calls.why_not.empty()) {
        edge.not_extrapolated = calls.why_not;
        continue;
      }
      const counts::Bounds bounds = counts::bounds(calls.calls, calls.error * calls.error);
      if (!edge.estimated) edge.estimated.emplace();
      edge.estimated->calls = {calls.calls, bounds.low, bounds.high};
    }
  }

 private:
  // Errors of what the same slices saw do not average out.
  void add_estimates() {
    const auto known =
        run_.samples ? run_.samples->store.callers() : std::vector<std::pair<uint32_t, uint32_t>>();
    const std::vector<counts::Pair> pairs(known.begin(), known.end());
    for (const auto& [edge, counted] :
         run_.slices->store.count_edges(times_.busy, run_.plan.operations.size(), pairs)) {
      const Components between{component(edge.first), component(edge.second)};
      const counts::Count count = run_.slices->settled(counted, edge.second);
      if (between.first == between.second || (count.seen == 0 && !count.told())) continue;
      EdgeCalls& to = edges_[between];
      to.estimated = true;
      to.calls += count.value;
      to.error += std::sqrt(count.variance);
      if (!count.told())
        to.why_not = run_.plan.operations[edge.second].name + ": " + counts::reason(count);
    }
  }

  void add_exact(const figures::Model& model) {
    for (const Window& time : times_.whole)
      for (const figures::Edge& edge :
           figures::figures(run_.store, run_.checkpoint, model, time).edges)
        if (const auto to = edges_.find({edge.from, edge.to}); to != edges_.end())
          to->second.calls += double(edge.calls);
  }

  int component(uint32_t operation) const { return run_.plan.operations[operation].component; }
  const std::string& path(int component) const {
    return run_.spec.components[size_t(component)].path;
  }

  // One that no sample has met is new.
  snapshot::Edge& find(Components between, std::vector<snapshot::Edge>& edges) const {
    const auto found = std::ranges::find_if(edges, [&](const snapshot::Edge& edge) {
      return !edge.unknown && edge.from == path(between.first) && edge.to == path(between.second);
    });
    if (found != edges.end()) return *found;
    snapshot::Edge& edge = edges.emplace_back();
    edge.from = path(between.first);
    edge.to = path(between.second);
    edge.seen = false;
    edge.estimated.emplace();
    return edge;
  }

  const RunParts& run_;
  Times times_;
  std::map<Components, EdgeCalls> edges_;
};

void put_singles(const RunParts& run, Window window, const std::vector<uint32_t>& operations,
                 bool outermost, snapshot::Figures& to) {
  const auto times = run.slices->singles.times(window, operations, outermost);
  const singles::Edges edges = run.slices->singles.edges(window, operations);
  to.closed.cut = edges.cut;
  if (!times) return;
  to.mean_ns = uint64_t(times->mean_ns);
  to.min_ns = times->min_ns;
  to.max_ns = times->max_ns;
  to.p50_ns = times->p50_ns;
  to.p90_ns = times->p90_ns;
  to.p99_ns = times->p99_ns;
  to.uncertain_below_ns = times->uncertain_below_ns;
  to.sliced =
      snapshot::Sliced{times->seen, times->slow_down, times->uncertain_from_ns, edges.orphans};
  if (to.evidence) to.evidence->single = snapshot::EvidenceKind::kSlices;
}

// Of what was away for most of the window: else probes saw more. A component's where all of its
// operations were that are timed at all.
void add_singles(const RunParts& run, Window window, snapshot::Snapshot& out) {
  const std::vector<snapshot::Operation*> operations = all_operations(run, out);
  const std::vector<std::vector<size_t>> by_component = operations_by_component(run);
  const auto away = [&](size_t i) { return observed_share(run, {i}, window) < kMostly; };
  for (size_t c = 0; c < by_component.size(); ++c) {
    std::vector<uint32_t> timed;
    for (const size_t i : by_component[c])
      if (!run.states[i].refused() && run.way(i).timed()) timed.push_back(uint32_t(i));
    for (const uint32_t i : timed)
      if (away(i)) put_singles(run, window, {i}, false, operations[i]->figures);
    if (!timed.empty() && std::ranges::all_of(timed, away))
      put_singles(run, window, timed, true, out.components[c].figures);
  }
}

}  // namespace

void add_sliced(const RunParts& run, const figures::Model& model, Window window,
                snapshot::Snapshot& out) {
  if (!run.slices || !busy_in(run, window)) return;
  Edges(run, model, window).put(out);
  add_singles(run, window, out);
}

}  // namespace compmond::present
