// SPDX-License-Identifier: Apache-2.0
#include "slicing/loads.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace compmond::run {

namespace {

constexpr size_t kKept = 64;       // newest slices: what a target does changes
constexpr size_t kEnough = 12;     // slices before the factor is believed
constexpr int kRounds = 16;        // rates and useful time follow from each other,
constexpr double kSettled = 1e-3;  // until rates change by no more than that part
constexpr double kLeastFactor = 0.25, kMostFactor = 8;  // factors looked at
constexpr int kSteps = 12;                              // of the search: within 1 %
constexpr double kPrior = 0.3;         // how far, as a logarithm, the factor is from 1 before
constexpr double kMostSlowed = 5;      // beyond, what a probe costs is taken for too much
constexpr double kMostExpected = 0.5;  // so that a slice can have it and tell
constexpr double kMostShare = 0.98;    // of probes in a flood: what is left is not known well
constexpr double kGolden = 0.6180339887;

// The factor with the smallest value.
double search(const std::function<double(double)>& value) {
  double low = std::log(kLeastFactor), high = std::log(kMostFactor);
  for (int step = 0; step < kSteps; ++step) {
    const double left = high - kGolden * (high - low), right = low + kGolden * (high - low);
    if (value(std::exp(left)) < value(std::exp(right)))
      high = right;
    else
      low = left;
  }
  return std::exp((low + high) / 2);
}

}  // namespace

Loads::Loads(Costs costs)
    : costs_(std::move(costs)),
      rates_(costs_.calls_ns.size()),
      worst_(rates_.size()),
      expected_(rates_.size()) {}

double Loads::useful_ns(const Seen& seen, double factor) const {
  double load = 0;
  for (size_t i = 0; i < rates_.size(); ++i)
    if (seen.attached[i]) load += rates_[i] * factor * prior_ns(i, seen.see);
  return seen.cpu_ns / std::min(1 + load, kMostSlowed);
}

// Rates with the useful time that follows from the ones before. By how much they change, as a part.
double Loads::improve_rates(double factor) {
  std::vector<double> calls(rates_.size()), useful(rates_.size());
  for (const Seen& seen : seen_) {
    const double ns = useful_ns(seen, factor);
    for (size_t i = 0; i < calls.size(); ++i)
      if (seen.attached[i]) {
        calls[i] += double(seen.calls[i]);
        useful[i] += ns;
      }
  }
  double most = 0;
  for (size_t i = 0; i < calls.size(); ++i) {
    const double rate = useful[i] > 0 ? calls[i] / useful[i] : 0;
    const double before = std::exchange(rates_[i], rate);
    if (rate > 0) most = std::max(most, std::abs(before / rate - 1));
  }
  return most;
}

// Σ ln² of calls seen against calls expected, over slices and operations.
double Loads::fit(double factor) {
  for (int round = 0; round < kRounds; ++round)
    if (improve_rates(factor) <= kSettled) break;
  double squares = 0;
  for (const Seen& seen : seen_) {
    const double ns = useful_ns(seen, factor);
    for (size_t i = 0; i < rates_.size(); ++i)
      if (seen.attached[i])
        squares += std::pow(std::log((double(seen.calls[i]) + 0.5) / (rates_[i] * ns + 0.5)), 2);
  }
  return squares;
}

void Loads::add(Seen seen) {
  if (seen.cpu_ns <= 0) return;
  seen_.push_back(std::move(seen));
  if (seen_.size() > kKept) seen_.pop_front();
  if (seen_.size() >= kEnough) {
    const double least = fit(search([&](double factor) { return fit(factor); }));
    // Calls of one slice are more or fewer together, so that each slice counts as one.
    const double per_slice = std::max(least / double(seen_.size()), 1e-6);
    factor_ = search([&](double factor) {
      return fit(factor) / per_slice + std::pow(std::log(factor) / kPrior, 2);
    });
  }
  fit(factor_);
  for (size_t i = 0; i < worst_.size(); ++i) {
    double calls = 0, useful = 0;  // as if all slices were of the worst thread
    for (const Seen& one : seen_)
      if (one.attached[i]) {
        calls += one.worst_per_s[i] * one.cpu_ns / 1e9;
        useful += useful_ns(one, factor_);
      }
    if (useful > 0)
      worst_[i] = calls / useful;
    else if (worst_[i])  // so long ago that it may be otherwise by now
      expected_[i] = *std::exchange(worst_[i], std::nullopt);
  }
}

void Loads::price(Costs costs) {
  costs_ = std::move(costs);
  seen_.clear();
  factor_ = 1;
  for (size_t i = 0; i < worst_.size(); ++i)
    if (worst_[i]) expected_[i] = *std::exchange(worst_[i], std::nullopt);
}

void Loads::expect(const std::vector<uint64_t>& calls, double share) {
  double probes_ns = 0;
  for (size_t i = 0; i < rates_.size(); ++i)
    probes_ns += double(calls[i]) * cost_ns(i, plan::See::kCalls);
  if (share <= 0) return;
  share = std::min(share, kMostShare);
  const double useful_ns = probes_ns * (1 - share) / share;
  for (size_t i = 0; i < rates_.size(); ++i)
    if (useful_ns > 0) expected_[i] = double(calls[i]) / useful_ns;
}

std::optional<double> Loads::of(size_t operation, plan::See see) const {
  if (!worst_[operation]) return std::nullopt;
  return *worst_[operation] * cost_ns(operation, see);
}

double Loads::of(size_t operation, plan::See see, double unknown) const {
  if (const auto known = of(operation, see)) return *known;
  if (!expected_[operation]) return unknown;
  return std::min(kMostExpected, *expected_[operation] * cost_ns(operation, see));
}

double Loads::of(const std::vector<bool>& operations, plan::See see, double unknown) const {
  double sum = 0;
  for (size_t i = 0; i < operations.size(); ++i)
    if (operations[i]) sum += of(i, see, unknown);
  return sum;
}

std::optional<double> Loads::share(const std::vector<bool>& operations) const {
  double load = 0;
  for (size_t i = 0; i < operations.size(); ++i) {
    if (!operations[i]) continue;
    if (!worst_[i]) return std::nullopt;
    load += rates_[i] * cost_ns(i, plan::See::kCalls);
  }
  return load / (1 + load);
}

double Loads::calls_per_ns(const std::vector<bool>& operations) const {
  double sum = 0;
  for (size_t i = 0; i < operations.size(); ++i)
    if (operations[i]) sum += rates_[i];
  return sum;
}

}  // namespace compmond::run
