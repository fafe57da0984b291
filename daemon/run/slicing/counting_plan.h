// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>

namespace compmond::run {

// When it is counted what the targets read: all the time, or, where that costs more than it may,
// around slices and in random windows between them. Pure, but for the random numbers.
class CountingPlan {
 public:
  explicit CountingPlan(uint64_t seed) : random_(seed) {}

  static constexpr uint64_t kLead = 20'000'000;    // before a slice: busy threads have read by then
  static constexpr uint64_t kAfter = 100'000'000;  // so long after it windows are as without it
  static constexpr uint64_t kWindow = 40'000'000;

  // What counting all the time costs, and what it may cost, in CPUs: to be told once a second.
  // `received`: what is received is counted all the time anyway, which is in neither.
  void learn(double costs, double may, bool received = false);
  bool always() const { return always_; }
  // For some seconds now even few short windows cost too much.
  bool too_dear() const;

  // From the end of a slice of that length to the begin of the next one, which was planned to come
  // then: later where what is counted around slices would take more than half of what may be.
  uint64_t gap_ns(uint64_t length_ns, uint64_t planned_ns);
  // After a slice, while what waited is made up for, which receives tell of as well.
  uint64_t settle_ns() const { return received_ ? 0 : kSettle; }
  // From what was counted last to the begin of the next window.
  uint64_t pause_ns();

 private:
  static constexpr uint64_t kSettle = 50'000'000;
  double around(double low, double high) {
    return std::uniform_real_distribution(low, high)(random_);
  }
  double share_ = 1;    // of the time that may be counted
  double between_ = 1;  // likewise, between slices
  bool always_ = true, received_ = false;
  int dear_ = 0, spare_ = 0;  // seconds, one after the other, in which it was
  std::mt19937_64 random_;
};

}  // namespace compmond::run
