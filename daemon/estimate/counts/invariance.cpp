// SPDX-License-Identifier: Apache-2.0
#include "counts/invariance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "counts/student.h"

namespace compmond::counts {

namespace {

constexpr double kMost = 0.10;       // a drift that is still none, with two errors
constexpr double kMatters = 0.05;    // a drift that is surely one, beyond three errors
constexpr double kCorrelated = 1.1;  // parts of one slice are not independent
constexpr double kOverlap = 0.5;     // of the calls in the same strata: they tell of each other
constexpr double kFewDrift = 0.05;   // of the calls that happen together
constexpr double kNoData = 9;

struct Shift {
  double by = 0, error = kNoData;  // logarithms
  bool certain() const { return std::abs(by) > 3 * error && std::abs(by) > kMatters; }
};

double error_of(const Stratified& s) {
  return s.error * student(double(s.slices - 1)) / student(1e9);
}

// `edges`: what they may add to the one and not to the other.
Shift shift(const std::optional<Stratified>& from, const std::optional<Stratified>& to,
            double edges) {
  if (!from || !to) return {};
  return {std::log(to->value / from->value), std::hypot(error_of(*from), error_of(*to), edges)};
}

double mean_slow_down(std::span<const AddedUp* const> slices) {
  double sum = 0;
  for (const AddedUp* slice : slices) sum += slice->slice().slow_down;
  return sum / double(slices.size());
}

// From less to more slowed slices, scaled to what that makes from 1 to the mean of them all.
Shift with_load(std::span<const AddedUp* const> slices, Item item, Counting counting,
                const RunInputs& window) {
  Slices sorted(slices.begin(), slices.end());
  std::ranges::stable_sort(sorted, {},
                           [](const AddedUp* slice) { return slice->slice().slow_down; });
  const std::span<const AddedUp* const> all = sorted;
  const auto less = all.first(all.size() / 2), more = all.subspan(all.size() / 2);
  if (less.empty()) return {};
  const auto from = told(less, item, counting, window), to = told(more, item, counting, window);
  const Shift seen = shift(from, to, from && to ? std::abs(from->edges - to->edges) : 0);
  const double between = mean_slow_down(more) - mean_slow_down(less);
  const double below = mean_slow_down(all) - 1;
  if (between <= 0 || below / between > kNoData) return {};
  return {seen.by * below / between, std::min(kNoData, seen.error * below / between)};
}

Shift with_time(std::span<const AddedUp* const> slices, Item item, Counting counting,
                const RunInputs& window) {
  const auto in = [&](Part part) {
    return told(slices, item, {counting.by, counting.cycles, part}, window);
  };
  const auto first = in(Part::kFirst), later = in(Part::kLater);
  Shift out = shift(first, later, first && later ? std::hypot(first->edges, later->edges) : 0);
  out.error *= kCorrelated;
  return out;
}

double overlap(const Strata& a, const Strata& b) {
  double sum = 0;
  for (size_t h = 0; h < kStrata; ++h) sum += std::min(a[h], b[h]);
  return sum;
}

bool equivalent(double drift, double error) { return std::abs(drift) + 2 * error <= kMost; }

// The drift of what happens together with `one`, if that holds and `one` is like it.
std::optional<double> drift_of_others(const Tested& one, const std::vector<Tested*>& tested) {
  double all_calls = 0, drifting = 0, weights = 0, drift = 0, error = 0;
  for (const Tested* other : tested) {
    if (overlap(one.weights, other->weights) < kOverlap) continue;
    all_calls += other->calls;
    if (other->verdict == Verdict::kDrifts) {
      drifting += other->calls;
      continue;
    }
    const double weight = 1 / (other->error * other->error);
    weights += weight;
    drift += weight * other->drift;
    error += weight * other->error;
  }
  if (weights <= 0 || drifting > kFewDrift * all_calls) return std::nullopt;
  drift /= weights;
  if (!equivalent(drift, error / weights) || std::abs(one.drift - drift) > 2 * one.error)
    return std::nullopt;
  return drift;
}

}  // namespace

Tested test(std::span<const AddedUp* const> slices, Item item, Counting counting,
            const RunInputs& of) {
  RunInputs window;  // how well it is known is the same for all slices
  window.add(of);
  Tested out;
  out.weights = calls_of(slices, item, counting);
  out.calls = std::accumulate(out.weights.begin(), out.weights.end(), 0.0);
  for (double& weight : out.weights) weight /= std::max(out.calls, 1.0);
  const Shift load = with_load(slices, item, counting, window);
  out.drift = load.by;
  out.error = std::max(load.error, std::numeric_limits<double>::min());
  if (load.certain() || with_time(slices, item, counting, window).certain())
    out.verdict = Verdict::kDrifts;
  else if (equivalent(out.drift, out.error))
    out.verdict = Verdict::kHolds;
  return out;
}

void pool(std::vector<Tested*> tested) {
  std::vector<std::pair<Tested*, double>> held;
  for (Tested* one : tested)
    if (one->verdict == Verdict::kVague && !one->by_itself)
      if (const auto drift = drift_of_others(*one, tested)) held.emplace_back(one, *drift);
  for (const auto& [one, drift] : held) {
    one->verdict = Verdict::kHolds;
    one->drift = drift;
  }
}

}  // namespace compmond::counts
