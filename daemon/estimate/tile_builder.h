// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tsl/robin_map.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "estimate/tile.h"
#include "sampling/sample.h"
#include "stacks/attribution.h"

namespace compmond::estimate {

struct OnSample {
  uint64_t time_ns = 0;
  uint32_t pid = 0, tid = 0;
  sampling::Ended ended = sampling::Ended::kComplete;
  bool in_probe = false;
  std::shared_ptr<const Attributed> attributed;
};

struct OffSample {
  uint64_t time_ns = 0;  // when it came back
  uint32_t pid = 0, tid = 0;
  sampling::Ended ended = sampling::Ended::kComplete;
  std::shared_ptr<const Attributed> attributed;
  uint64_t off_ns = 0, runnable_ns = 0, weight_ns = 0;
};

// Adds samples on CPU that were taken at one rate and are alike in what they stand for, each for
// `weight_ns` of CPU time. Of a key in k of n samples, with w the weight and p = k/n:
//   on_variance         w² n p (1-p) · n/(n-1), the binomial one of a total (Cochran, Sampling
//                       Techniques, 3.2)
//   on_moment_variance  w² Σ (k_m - p n_m)² · M/(M-1) over the M moments, as clusters (Cochran
//                       9A.2): samples less than moment_ns(w) apart, of whichever threads
// Where k = n both are w²: that nothing else was seen does not prove that nothing else was there.
//
// Moments are what a sampler chooses at random, so it is their dependence that widens an interval:
// threads in lockstep hit together count once. That a thread stays in one operation for many
// samples does not: the estimate is of the time that passed in the window, and of long stays
// samples at regular moments know more than the binomial variance says, never less.
void add_on_cpu(Tile& to, std::vector<OnSample> samples, double weight_ns);

// A quarter of the time between two samples of a busy CPU, which is what one stands for; but never
// so long that what happens to fall together on many CPUs at a low rate looks like a moment.
constexpr double moment_ns(double weight_ns) { return std::min(weight_ns / 4, 2e6); }

// A part of a sampled wait; `ends` in exactly one of the tiles that it is spread over. One
// with weight w and length d was taken with the chance d/w: its variance is (1 - d/w) w²
// (Horvitz-Thompson, Poisson sampling).
Sums wait_sums(const OffSample& sample, double part, bool ends);
void add_off_cpu(Tile& to, const OffSample& sample, double part, bool ends);

// Adds many to one tile, of which each is cheap.
class Waits {
 public:
  explicit Waits(Tile& to) : to_(to) {}
  void add(const OffSample& sample, double part, bool ends);
  void finish();

 private:
  Tile& to_;
  tsl::robin_map<Key, Sums, KeyHash> rows_;
};

}  // namespace compmond::estimate
