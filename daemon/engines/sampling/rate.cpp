// SPDX-License-Identifier: Apache-2.0
#include "sampler/rate.h"

#include <algorithm>

namespace compmond::sampler {
namespace {

constexpr double kSecond = 1e9;
constexpr uint64_t kLengthNs = 1'000'000'000;
constexpr uint64_t kShortLengthNs = 100'000'000;  // while little is known
// What is not taken is kept for a second's looks at most; new ones begin when half of that is there
// (each beginning costs a millisecond of ours). However dear a look was, after so many seconds
// there is another one.
constexpr double kKeptSeconds = 1, kEnoughSeconds = 0.5, kMaxPauseSeconds = 4;
constexpr uint64_t kFirstWaitPeriodNs = 20'000'000;
// A period that falls too fast floods; one that rises too fast only loses some precision.
constexpr double kSteepestFall = 0.5, kSteepestRise = 16;

}  // namespace

void Allowance::fill(double per_second_ns, double seconds) {
  per_second_ns_ = per_second_ns;
  left_ns_ =
      std::clamp(left_ns_ + per_second_ns * seconds,
                 (kEnoughSeconds - kMaxPauseSeconds) * per_second_ns, kKeptSeconds * per_second_ns);
}

double Allowance::pause_seconds() const {
  return std::max(0.0, kEnoughSeconds - left_ns_ / per_second_ns_);
}

Rate::Rate(double hz, bool waits, unsigned cpus) : hz_(hz), waits_(waits) {
  choose_keep(cpus);  // until their load is known
  pace_.waits = waits;
  pace_.wait_period_ns = waits ? kFirstWaitPeriodNs : 0;
  pace_.length_ns = kShortLengthNs;
  fill_allowances(0, kKeptSeconds);
}

// Of so many seconds, in which targets used so many CPUs.
void Rate::fill_allowances(double busy_cpus, double seconds) {
  const double of_cpus = std::max(busy_cpus, kLooksOfCore);
  own_.fill(kSecond * kOwnLooksShare * of_cpus, seconds);
  all_.fill(kSecond * kAllLooksShare * of_cpus, seconds);
}

void Rate::choose_keep(double busy_cpus) {
  pace_.keep = std::min(1.0, kOnPerSecond / std::max(hz_ * busy_cpus, 1.0));
}

void Rate::choose_wait_period(const Seen& seen, double seconds) {
  const double factor =
      std::clamp(double(seen.off) / seconds / kOffPerSecond, kSteepestFall, kSteepestRise);
  pace_.wait_period_ns = std::clamp(uint64_t(double(pace_.wait_period_ns) * factor),
                                    kMinWaitPeriodNs, kMaxWaitPeriodNs);
}

void Rate::choose_waits() {
  const double pause = std::max(own_.pause_seconds(), all_.pause_seconds());
  pace_.waits = pace_.waits ? own_.holds(0) && all_.holds(0) : pause == 0;
  if (!pace_.waits) pace_.length_ns = uint64_t(kSecond * std::clamp(pause, 0.1, 1.0));
}

const Pace& Rate::next(const Seen& seen) {
  const double seconds = double(std::max<uint64_t>(seen.length_ns, 1)) / kSecond;
  const double busy_cpus = double(seen.cpu_ns) / kSecond / seconds;
  choose_keep(busy_cpus);
  pace_.length_ns = kLengthNs;
  if (!waits_) return pace_;
  if (pace_.waits) choose_wait_period(seen, seconds);
  own_.take(double(seen.own_looks_ns));
  all_.take(double(seen.all_looks_ns));
  fill_allowances(busy_cpus, seconds);
  choose_waits();
  return pace_;
}

bool Rate::full(const Seen& so_far) const {
  return double(so_far.on + so_far.off) >= kOnPerSecond + kOffPerSecond ||
         (pace_.waits &&
          !(own_.holds(double(so_far.own_looks_ns)) && all_.holds(double(so_far.all_looks_ns))));
}

}  // namespace compmond::sampler
