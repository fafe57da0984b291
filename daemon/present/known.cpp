// SPDX-License-Identifier: Apache-2.0
#include "present/known.h"

#include <algorithm>

namespace compmond::present {

namespace {

constexpr double kMoment = 0.05;  // of a window, at most

}  // namespace

std::vector<bool> sampled_components(const RunParts& run) {
  std::vector<bool> sampled(run.spec.components.size()), probed(run.spec.components.size());
  for (size_t i = 0; i < run.plan.operations.size(); ++i)
    if (!run.states[i].refused())
      (run.way(i).sampled() ? sampled : probed)[size_t(run.plan.operations[i].component)] = true;
  for (size_t i = 0; i < sampled.size(); ++i) sampled[i] = run.samples && sampled[i] && !probed[i];
  return sampled;
}

bool probes_away(const RunParts& run, Window window) {
  return std::ranges::any_of(run.states, [&](const plan::OperationState& state) {
    return !state.refused() && state.away.within_ns(window) > 0;
  });
}

bool off_in(const RunParts& run, Window window) {
  return std::ranges::any_of(run.states, [&](const plan::OperationState& state) {
    return state.off.within_ns(window) > 0;
  });
}

bool busy_in(const RunParts& run, Window window) {
  return run.samples && samples_known_ns(run) > window.start_ns && probes_away(run, window);
}

std::vector<size_t> missed_in(const RunParts& run, Window window) {
  std::vector<double> away;
  for (size_t i = 0; i < run.states.size(); ++i)
    away.push_back(1 - observed_share(run, {i}, window));
  const double longest = away.empty() ? 0 : *std::ranges::max_element(away);
  const double moment = std::min(longest / 2, kMoment);
  std::vector<size_t> out;
  for (size_t i = 0; i < away.size(); ++i)
    if (away[i] > 0 && away[i] >= moment) out.push_back(i);
  return out;
}

bool samples_tell_times(const RunParts& run, Window window) {
  const std::vector<bool> sampled = sampled_components(run);
  return std::ranges::find(sampled, true) != sampled.end() || busy_in(run, window);
}

uint64_t samples_known_ns(const RunParts& run) {
  const uint64_t start = run.checkpoint.start_ns;
  const uint64_t now = std::max(start, run.checkpoint.as_of_ns);
  if (!run.samples || run.ended) return now;
  return std::clamp(run.samples->store.known_ns(), start, now);
}

Window last_seconds(const RunParts& run, double seconds) {
  const uint64_t known = samples_known_ns(run);
  const Window newest = figures::last_seconds(run.checkpoint, seconds);
  const bool moved = known > run.checkpoint.start_ns && samples_tell_times(run, newest);
  return moved ? figures::last_seconds(run.checkpoint, seconds, known) : newest;
}

}  // namespace compmond::present
