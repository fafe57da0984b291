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
  // Time that looking at switches took: of targets' threads, and of all.
  uint64_t own_looks_ns = 0, all_looks_ns = 0;
};

// How many samples in all are worth having: some 500 a second, 400 of them on CPUs. Each costs the
// target 3 to 10 us and compmond 10, so that is 1 % of a core; 199 Hz with two busy CPUs.
constexpr double kOnPerSecond = 400, kOffPerSecond = 100;
// What looking at switches may take, those of targets and those of all programs; what is left of it
// says when waiting times are sampled. A share of the CPU time that targets use, of those that use
// little of half a core (some 5,000 switches a second). A thread that leaves a CPU is followed by
// another one: so all may take twice as much.
constexpr double kOwnLooksShare = 0.001, kAllLooksShare = 2 * kOwnLooksShare, kLooksOfCore = 0.5;
constexpr uint64_t kMinWaitPeriodNs = 5'000'000, kMaxWaitPeriodNs = 10'000'000'000;

// CPU time that may be taken. Time fills it, what is taken empties it.
class Allowance {
 public:
  void fill(double per_second_ns, double seconds);
  void take(double ns) { left_ns_ -= ns; }
  bool holds(double ns) const { return left_ns_ > ns; }
  // Until it is worth while to begin anew.
  double pause_seconds() const;

 private:
  double per_second_ns_ = 1, left_ns_ = 0;
};

// Chooses the pace of each stretch by what the one before it has shown. A stretch has one pace, so
// that what it says needs no assumption on how things changed meanwhile. No clock of its own.
class Rate {
 public:
  // `hz`: of the timer on each CPU.
  Rate(double hz, bool waits, unsigned cpus);
  const Pace& pace() const { return pace_; }
  // The stretch of this pace ends; the next one's.
  const Pace& next(const Seen& seen);
  // Whether the stretch has all the samples that it may have, or its looks took what they may:
  // then it should end at once.
  bool full(const Seen& so_far) const;

 private:
  void choose_keep(double busy_cpus);
  void choose_wait_period(const Seen& seen, double seconds);
  void fill_allowances(double busy_cpus, double seconds);
  void choose_waits();

  double hz_;
  bool waits_;
  Allowance own_, all_;  // for looks
  Pace pace_;
};

}  // namespace compmond::sampler
