// SPDX-License-Identifier: Apache-2.0
#include "counts/stratified.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace compmond::estimate {

namespace {

constexpr double kDraw = 0.5;       // inputs' worth of the mean that each stratum begins with
constexpr double kHalfCall = 0.5;   // a count of x may as well have been x ± 1/2
constexpr double kHalfInput = 0.5;  // per slice: of its first and its last input half is outside
constexpr size_t kFewestSlices = 3;

double sum(const Strata& of) { return std::accumulate(of.begin(), of.end(), 0.0); }

struct Sums {
  Strata inputs{}, calls{};
  double all_inputs = 0, all_calls = 0;
  void add(const Row& row, double sign) {
    for (size_t h = 0; h < kStrata; ++h) {
      inputs[h] += sign * row.inputs[h];
      calls[h] += sign * row.calls[h];
    }
    all_inputs += sign * sum(row.inputs);
    all_calls += sign * sum(row.calls);
  }
  double per_input(size_t h) const {
    const double mean = all_inputs > 0 ? all_calls / all_inputs : 0;
    return (calls[h] + kDraw * mean) / (inputs[h] + kDraw);
  }
};

double value_of(const Sums& sums, const Strata& window) {
  double value = 0;
  for (size_t h = 0; h < kStrata; ++h)
    if (window[h] > 0) value += window[h] * sums.per_input(h);
  return value;
}

// Square of the standard error.
double jackknife(std::span<const Row> rows, Sums sums, const Strata& window) {
  std::vector<double> without;
  for (const Row& row : rows) {
    sums.add(row, -1);
    without.push_back(value_of(sums, window));
    sums.add(row, +1);
  }
  const double m = double(rows.size());
  const double mean = std::accumulate(without.begin(), without.end(), 0.0) / m;
  double squares = 0;
  for (const double value : without) squares += (value - mean) * (value - mean);
  return (m - 1) / m * squares;
}

}  // namespace

std::optional<Stratified> stratified(std::span<const Row> rows, const Strata& window,
                                     const Strata& window_variance) {
  Sums sums;
  for (const Row& row : rows) sums.add(row, +1);
  Stratified out;
  out.slices = size_t(std::ranges::count_if(rows, [](const Row& r) { return sum(r.inputs) > 0; }));
  out.inputs = sums.all_inputs;
  out.calls = sums.all_calls;
  out.value = value_of(sums, window);
  if (out.slices < kFewestSlices || out.calls <= 0 || out.value <= 0) return std::nullopt;

  double variance = jackknife(rows, sums, window), unseen = 0;
  for (size_t h = 0; h < kStrata; ++h) {
    variance += std::pow(sums.per_input(h), 2) * window_variance[h];
    if (sums.inputs[h] < 1) unseen += window[h];
  }
  out.error = std::hypot(std::sqrt(variance) / out.value, kHalfCall / out.calls);
  out.edges = kHalfInput * double(rows.size()) / out.inputs;
  out.unseen = unseen / sum(window);
  return out;
}

}  // namespace compmond::estimate
