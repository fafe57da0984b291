// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "figures/figures.h"
#include "pairs/known_pairs.h"
#include "present/estimated.h"
#include "present/estimated_parts.h"
#include "present/known.h"

namespace compmond::present {
namespace {

using counts::Count;
using counts::Item;
using counts::Pair;
using Components = std::pair<int, int>;  // caller and callee

// A window's times in which something was away, and those in which nothing was.
struct Times {
  std::vector<Window> busy, whole;
};

Times times_of(const RunParts& run, Window window) {
  window = common(window, {run.checkpoint.start_ns, run.checkpoint.as_of_ns});
  std::vector<size_t> all(run.plan.operations.size());
  std::iota(all.begin(), all.end(), size_t(0));
  Times out{plan::away_in(run.states, all, window), {}};
  uint64_t until = window.start_ns;
  for (const Window& away : out.busy) {
    if (away.start_ns > until) out.whole.push_back({until, away.start_ns});
    until = away.end_ns;
  }
  if (window.end_ns > until) out.whole.push_back({until, window.end_ns});
  return out;
}

// Of a component edge.
struct EdgeCalls {
  double calls = 0, error = 0;  // of the pairs that are told
  double rate = 0;              // of these, by the clock of slices
  bool told = false, seen = false;
  std::vector<std::pair<Pair, Count>> untold;
  std::string why_not;
};

class Edges {
 public:
  Edges(const RunParts& run, const figures::Model& model, Window window,
        const estimate::Estimates& samples, snapshot::Snapshot& out)
      : run_(run),
        samples_(samples),
        operations_(all_operations(run, out)),
        times_(times_of(run, window)),
        by_samples_(run.samples->store.callers()),
        known_(run.slices->store, times_.busy, by_samples_) {
    add_estimates();
    for (auto& [between, edge] : edges_) judge(edge);
    add_exact(model);
  }

  void put(snapshot::Snapshot& out) const {
    for (const auto& [between, calls] : edges_) {
      const auto found = find(between, out.edges);
      const bool met =
          found != out.edges.end() && found->estimated && found->estimated->samples > 0;
      if (!calls.told && !calls.seen && !met) continue;
      snapshot::Edge& edge = found == out.edges.end() ? add(between, out.edges) : *found;
      if (!calls.why_not.empty()) {
        edge.not_extrapolated = calls.why_not;
        continue;
      }
      const counts::Bounds bounds = counts::bounds(calls.calls, calls.error * calls.error);
      if (!edge.estimated) edge.estimated.emplace();
      edge.estimated->calls = {calls.calls, bounds.low, bounds.high};
    }
    // What is at the bottom of a stack in a slice may have a caller that is not observed in it.
    for (snapshot::Edge& edge : out.edges)
      if (!edge.from && !edge.unknown && edge.estimated && !edge.estimated->calls)
        edge.not_extrapolated = "slices do not tell calls from outside";
  }

 private:
  // Errors of what the same slices saw do not average out.
  void add_estimates() {
    std::map<Pair, Count> counts;
    for (const auto& [pair, sights] : known_.all()) counts[pair];
    for (const auto& [pair, count] :
         run_.slices->store.count_edges(times_.busy, run_.plan.operations.size(), by_samples_))
      if (count.told() || count.seen > 0 || counts.contains(pair))
        counts[pair] = settled(settled(count, pair.first), pair.second);
    for (const auto& [pair, count] : counts) {
      const Components between{component(pair.first), component(pair.second)};
      if (between.first == between.second) continue;
      EdgeCalls& to = edges_[between];
      const KnownPairs::Sights sights = known_.of(pair);
      to.seen |= count.seen > 0 || sights.all.calls > 0;
      if (!count.told() || may_be_between(pair)) {
        to.untold.emplace_back(pair, count);
        continue;
      }
      to.told = true;
      to.calls += count.value;
      to.error += std::sqrt(count.variance);
      to.rate += sights.both.rate();
    }
  }

  // Of a caller that slices see and never on the stack, what it calls seems to be its caller's.
  bool may_be_between(Pair pair) const {
    return std::ranges::any_of(known_.callers(pair.second), [&](Item one) {
      return one != pair.first && !run_.way(one).timed();
    });
  }

  Count settled(const Count& count, Item of) const {
    return present::settled(run_, count, of, times_.busy);
  }

  // What is not told is no more than an interval allows for anyway, or nothing is told.
  void judge(EdgeCalls& edge) const {
    double lacking = 0;
    std::pair<double, uint64_t> most{-1, 0};
    for (const auto& [pair, count] : edge.untold) {
      const double calls = most_calls(pair, edge);
      lacking += calls;
      if (std::pair(calls, count.seen) <= most) continue;
      most = {calls, count.seen};
      edge.why_not = why_not(pair, count);
    }
    if (!edge.told || lacking > counts::kFloor * edge.calls) return;
    edge.why_not.clear();
    edge.error += lacking;
  }

  // Of a pair without a count, in the window: as slices saw it beside what is told, else all calls
  // of the callee as far as samples of it may be those of the caller. Infinite: nothing says.
  double most_calls(Pair pair, const EdgeCalls& edge) const {
    const KnownPairs::Sights sights = known_.of(pair);
    if (edge.rate > 0 && sees_calls_of(pair.first))
      for (const Sight& sight : {sights.all, sights.both})
        if (sight.slices >= counts::kEnoughSlices) return sight.rate() / edge.rate * edge.calls;
    const double caller = samples_of(pair.first), callee = samples_of(pair.second);
    if (caller == 0) return 0;
    if (const auto calls = calls_of(pair.second))
      return *calls * (caller < callee ? caller / callee : 1);
    return callee > 0 ? std::numeric_limits<double>::infinity() : 0;
  }

  // Whether slices see what it calls: not of what began before them, or has no end.
  bool sees_calls_of(Item caller) const {
    return run_.way(caller).timed() && known_.had(caller).begun;
  }

  double samples_of(Item operation) const {
    return double(samples_.operation(int(operation)).within.all.samples);
  }

  std::optional<double> calls_of(Item operation) const {
    const snapshot::Figures& figures = operations_[operation]->figures;
    if (const auto* calls = snapshot::estimated_calls(figures)) return calls->high;
    const bool all = figures.seen && !figures.at_least && !run_.states[operation].refused();
    return all ? std::optional(double(figures.calls)) : std::nullopt;
  }

  // Of a pair that is not told.
  std::string why_not(Pair pair, const Count& count) const {
    using enum counts::NotTold;
    const auto [caller, callee] = pair;
    const auto say = [&](Item of, const std::string& why) {
      return run_.plan.operations[of].name + ": " + why;
    };
    const auto few = [&](Item of, uint32_t slices) {
      return say(of, counts::reason(settled({.slices = slices}, of)));
    };
    if (count.why != kNothing && count.why != kFewSlices && count.why != kNotSeen)
      return say(callee, counts::reason(count));
    std::vector<Item> needed{callee, caller};  // in one slice
    std::ranges::copy(known_.callers(callee), std::back_inserter(needed));
    for (const Item one : needed)
      if (run_.states[one].refused() || run_.way(one).sampled())
        return say(one, "no probe sees it");
      else if (one != callee && !run_.way(one).timed())
        return say(one, "its ends are not seen, nor what it calls");
      else if (settled({}, one).why == kTooHot)
        return few(one, 0);
    const Item rarest =
        *std::ranges::min_element(needed, {}, [&](Item one) { return known_.had(one).seen; });
    const KnownPairs::Had had = known_.had(rarest);
    if (had.seen == 0 && had.slices >= counts::kEnoughSlices)
      return say(rarest, "slices see its entries alone");
    if (had.seen < counts::kEnoughSlices) return few(rarest, had.seen);
    const Sight together = known_.of(pair).all;
    if (together.slices < counts::kEnoughSlices) return few(callee, together.slices);
    if (!sees_calls_of(caller))
      return say(caller, "runs longer than slices, which do not see what it calls");
    if (together.calls > 0) return say(callee, "one of more connections than slices count");
    return say(callee, fmt::format("not called by {} in {} slices",
                                   run_.plan.operations[caller].name, together.slices));
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

  std::vector<snapshot::Edge>::iterator find(Components between,
                                             std::vector<snapshot::Edge>& edges) const {
    return std::ranges::find_if(edges, [&](const snapshot::Edge& edge) {
      return !edge.unknown && edge.from == path(between.first) && edge.to == path(between.second);
    });
  }

  // One that no sample has met.
  snapshot::Edge& add(Components between, std::vector<snapshot::Edge>& edges) const {
    snapshot::Edge& edge = edges.emplace_back();
    edge.from = path(between.first);
    edge.to = path(between.second);
    edge.seen = false;
    edge.estimated.emplace();
    return edge;
  }

  const RunParts& run_;
  const estimate::Estimates& samples_;
  std::vector<snapshot::Operation*> operations_;
  Times times_;
  std::vector<Pair> by_samples_;
  KnownPairs known_;
  std::map<Components, EdgeCalls> edges_;
};

}  // namespace

void add_sliced(const RunParts& run, const figures::Model& model, Window window,
                const estimate::Estimates* estimates, snapshot::Snapshot& out) {
  if (!run.slices || !estimates || !busy_in(run, window)) return;
  Edges(run, model, window, *estimates, out).put(out);
  add_singles(run, window, out);
}

}  // namespace compmond::present
