// SPDX-License-Identifier: Apache-2.0
#include "counts/stratified.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace compmond::counts {

namespace {

constexpr double kDraw = 0.5;       // inputs' worth of the mean that each stratum begins with
constexpr double kHalfCall = 0.5;   // a count of x may as well have been x ± 1/2
constexpr double kHalfInput = 0.5;  // per slice: of its first and its last input half is outside
constexpr size_t kFewestSlices = 3;

double sum(const Strata& of) { return std::accumulate(of.begin(), of.end(), 0.0); }

// Of the strata that the window has.
class Sums {
 public:
  explicit Sums(const Strata& window) : window_(window) {
    for (size_t h = 0; h < kStrata; ++h)
      if (window[h] > 0) strata_.push_back(h);
  }
  void add(const Row& row, double sign) {
    for (const size_t h : strata_) {
      inputs_[h] += sign * (*row.inputs)[h];
      calls_[h] += sign * row.calls[h];
      all_inputs_ += sign * (*row.inputs)[h];
      all_calls_ += sign * row.calls[h];
    }
  }
  double inputs() const { return all_inputs_; }
  double calls() const { return all_calls_; }
  double per_input(size_t h) const {
    const double mean = all_inputs_ > 0 ? all_calls_ / all_inputs_ : 0;
    return (calls_[h] + kDraw * mean) / (inputs_[h] + kDraw);
  }
  Strata per_input() const {
    Strata out{};
    for (const size_t h : strata_) out[h] = per_input(h);
    return out;
  }
  double value() const {
    double out = 0;
    for (const size_t h : strata_) out += window_[h] * per_input(h);
    return out;
  }
  double unseen() const {
    double out = 0;
    for (const size_t h : strata_)
      if (inputs_[h] < 1) out += window_[h];
    return out / sum(window_);
  }

 private:
  const Strata& window_;
  std::vector<size_t> strata_;
  Strata inputs_{}, calls_{};
  double all_inputs_ = 0, all_calls_ = 0;
};

// Square of the standard error.
double jackknife(std::span<const Row> rows, Sums sums) {
  std::vector<double> without;
  for (const Row& row : rows) {
    sums.add(row, -1);
    without.push_back(sums.value());
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
                                     const Spread& window_spread) {
  Sums sums(window);
  for (const Row& row : rows) sums.add(row, +1);
  Stratified out;
  out.slices = size_t(std::ranges::count_if(rows, [](const Row& r) { return sum(*r.inputs) > 0; }));
  out.inputs = sums.inputs();
  out.calls = sums.calls();
  out.value = sums.value();
  out.per_input = sums.per_input();
  if (out.slices < kFewestSlices || out.calls <= 0 || out.value <= 0) return std::nullopt;

  double variance = jackknife(rows, sums);
  if (!window_spread.none()) variance += window_spread.variance(out.per_input);
  out.error = std::hypot(std::sqrt(variance) / out.value, kHalfCall / out.calls);
  out.edges = kHalfInput * double(rows.size()) / out.inputs;
  out.unseen = sums.unseen();
  return out;
}

}  // namespace compmond::counts
