// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace compmond::sampler {

// How samples are taken in one stretch of time.
struct Pace {
  double keep = 1;     // of the timer's hits
  bool waits = false;  // waiting times are sampled
  uint64_t wait_period_ns = 0;
  uint64_t length_ns = 0;  // after which the stretch should end
};

// What was seen in one.
struct Seen {
  uint64_t length_ns = 0;
  uint64_t cpu_ns = 0;       // that targets used
  uint64_t on = 0, off = 0;  // samples
  uint64_t switches = 0;     // of targets' threads
};

// How many samples in all are worth having: some 500 a second, 400 of them on CPUs. Each costs the
// target 3 to 10 us and compmond 10, so that is 1 % of a core; 199 Hz with two busy CPUs.
constexpr double kOnPerSecond = 400, kOffPerSecond = 100;
// Above so many switches a second waiting times are looked at a part of the time only, a tenth of a
// second in two at least: each costs 0.5 us then, so that is 0.25 % of a core.
constexpr double kSwitchesPerSecond = 5000;
constexpr uint64_t kMinWaitPeriodNs = 5'000'000, kMaxWaitPeriodNs = 10'000'000'000;

// Chooses the pace of each stretch by what the one before it has shown. A stretch has one pace, so
// that what it says needs no assumption on how things changed meanwhile. No clock of its own.
class Rate {
 public:
  // `hz`: of the timer on each CPU.
  Rate(double hz, bool waits, unsigned cpus);
  const Pace& pace() const { return pace_; }
  // The stretch of this pace ends; the next one's.
  const Pace& next(const Seen& seen);
  // Whether the stretch has all the samples that it may have: then it should end at once.
  static bool full(const Seen& so_far);

 private:
  void choose_keep(double busy_cpus);
  void choose_wait_period(const Seen& seen, double seconds);
  void choose_waits(const Seen& seen, double seconds);

  double hz_;
  bool waits_;
  double switches_left_;  // that may still be looked at
  Pace pace_;
};

}  // namespace compmond::sampler
