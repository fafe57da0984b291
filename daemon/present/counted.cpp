// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "present/estimated.h"
#include "present/estimated_parts.h"
#include "present/known.h"
#include "text/numbers.h"

namespace compmond::present {
namespace {

using counts::Count;

constexpr double kMostly = 0.5;  // of a window, for which probes were there

struct Told {
  snapshot::Operation* operation = nullptr;
  Count count;
};

// The times of the window in which it was away.
std::vector<Window> times_away(const RunParts& run, size_t operation, Window window) {
  return plan::away_in(run.states, {operation},
                       common(window, {run.checkpoint.start_ns, run.checkpoint.as_of_ns}));
}

void put(snapshot::Figures& to, double calls, double error) {
  const counts::Bounds bounds = counts::bounds(calls, error * error);
  if (!to.estimated) to.estimated.emplace();
  to.estimated->calls =
      snapshot::CallsEstimate{calls, std::max(bounds.low, double(to.calls)), bounds.high};
  if (to.evidence) to.evidence->calls = snapshot::EvidenceKind::kSlices;
}

// Of a component, where it is known of all that is away: errors of what the same slices saw do not
// average out.
void put_sum(snapshot::Component& component, const std::vector<Told>& away) {
  double calls = double(component.figures.calls), error = 0;
  const Told* missing = nullptr;
  size_t not_told = 0;
  for (const Told& one : away) {
    calls += one.count.value;
    error += std::sqrt(one.count.variance);
    if (one.count.told()) continue;
    missing = &one;
    ++not_told;
  }
  if (!missing) return put(component.figures, calls, error);
  component.figures.not_extrapolated =
      fmt::format("{}: {}{}", missing->operation->name, counts::reason(missing->count),
                  not_told > 1 ? ", and " + text::counted(not_told - 1, "other", "others") : "");
}

// Of each that was away for long, by component.
std::map<size_t, std::vector<Told>> told_of_each(const RunParts& run, Window window,
                                                 snapshot::Snapshot& out) {
  using Times = std::vector<std::pair<uint64_t, uint64_t>>;
  std::map<Times, std::vector<Count>> known;  // most were away at the same times
  std::map<size_t, std::vector<Told>> told;
  std::map<size_t, size_t> next;
  const std::vector<size_t> missed = missed_in(run, window);
  for (size_t i = 0; i < run.plan.operations.size(); ++i) {
    const auto component = size_t(run.plan.operations[i].component);
    snapshot::Operation& operation = out.components[component].operations[next[component]++];
    const bool off = run.states[i].off.within_ns(window) > 0;
    const bool away = off || std::ranges::find(missed, i) != missed.end();
    if (run.states[i].refused() || !away) continue;
    const std::vector<Window> times = times_away(run, i, window);
    Times key;
    for (const Window& time : times) key.emplace_back(time.start_ns, time.end_ns);
    auto [found, is_new] = known.try_emplace(std::move(key));
    if (is_new) found->second = run.slices->store.count(times, run.plan.operations.size());
    told[component].push_back({&operation, settled(run, found->second[i], i, times)});
  }
  return told;
}

CountsTold summary(const std::map<size_t, std::vector<Told>>& told) {
  CountsTold out;
  size_t not_told = 0, lacking = 0;
  uint32_t most = 0;  // slices with one of these
  for (const auto& [component, operations] : told)
    for (const Told& one : operations) {
      const Count& count = one.count;
      if (!count.told()) {
        ++not_told;
        ++out.reasons[counts::kind_of_reason(count)];
        if (count.why == counts::NotTold::kFewSlices) {
          ++lacking;
          most = std::max(most, count.slices);
        }
        continue;
      }
      ++out.known;
      const snapshot::CallsEstimate& calls = *one.operation->figures.estimated->calls;
      if (calls.value > 0)
        out.widest = std::max(out.widest, (calls.high - calls.low) / 2 / calls.value);
    }
  if (2 * lacking > not_told) out.slices = most;
  return out;
}

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

// Where slices tell of nothing.
void note_switched_off(const RunParts& run, Window window, snapshot::Snapshot& out) {
  const std::string reason = counts::reason({.why = counts::NotTold::kSwitchedOff});
  const std::vector<snapshot::Operation*> operations = all_operations(run, out);
  for (size_t i = 0; i < operations.size(); ++i) {
    if (run.states[i].off.within_ns(window) == 0) continue;
    operations[i]->figures.not_extrapolated = reason;
    auto& component = out.components[size_t(run.plan.operations[i].component)];
    component.figures.not_extrapolated = fmt::format("{}: {}", operations[i]->name, reason);
  }
}

}  // namespace

std::vector<snapshot::Health::Slice> slices_in(const RunParts& run, Window window) {
  std::vector<snapshot::Health::Slice> out;
  if (!run.slices) return out;
  for (const counts::Slice* slice : run.slices->store.newest(window, snapshot::Health::kMostSlices))
    out.push_back({slice->start_ns, slice->end_ns,
                   uint64_t(std::ranges::count(slice->attached, true)), slice->slow_down});
  return out;
}

std::optional<CountsTold> add_counts(const RunParts& run, Window window, snapshot::Snapshot& out) {
  if (!probes_away(run, window)) return {};
  if (!run.slices) {
    note_switched_off(run, window, out);
    return {};
  }
  const counts::SliceStore::Summary slices = run.slices->store.within(window);
  const std::map<size_t, std::vector<Told>> told = told_of_each(run, window, out);
  for (const auto& [component, operations] : told) {
    for (const Told& one : operations) {
      snapshot::Figures& to = one.operation->figures;
      if (one.count.told())
        put(to, double(to.calls) + one.count.value, std::sqrt(one.count.variance));
      else
        to.not_extrapolated = counts::reason(one.count);
    }
    put_sum(out.components[component], operations);
  }
  CountsTold summed = summary(told);
  if (slices.slices == 0) return summed;
  summed.share = double(slices.total_ns) / double(std::max<uint64_t>(1, window.length()));
  summed.slices_of_run = run.slices->store.within({0, UINT64_MAX}).slices;
  out.health.sliced = {slices.slices, summed.share, slices.slow_down, slices.inputs_share};
  out.health.slices = slices_in(run, window);
  return summed;
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

}  // namespace compmond::present
