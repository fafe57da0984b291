// SPDX-License-Identifier: Apache-2.0
#include "sampler/rate.h"

#include <algorithm>

namespace compmond::sampler {
namespace {

constexpr double kSecond = 1e9;
constexpr uint64_t kLengthNs = 1'000'000'000;
// While little is known, or much costs.
constexpr uint64_t kShortLengthNs = 100'000'000;
// Even where switches are so many that a short stretch takes what many seconds may have.
constexpr double kMaxPauseSeconds = 2;
constexpr uint64_t kFirstWaitPeriodNs = 20'000'000;
// A period that falls too fast floods; one that rises too fast only loses some precision.
constexpr double kSteepestFall = 0.5, kSteepestRise = 16;

}  // namespace

Rate::Rate(double hz, bool waits, unsigned cpus)
    : hz_(hz), waits_(waits), switches_left_(kSwitchesPerSecond) {
  choose_keep(cpus);  // until their load is known
  pace_.waits = waits;
  pace_.wait_period_ns = waits ? kFirstWaitPeriodNs : 0;
  pace_.length_ns = kShortLengthNs;
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

// A bucket: time fills it, switches that are looked at empty it.
void Rate::choose_waits(const Seen& seen, double seconds) {
  switches_left_ += seconds * kSwitchesPerSecond;
  if (pace_.waits) switches_left_ -= double(seen.switches);
  switches_left_ =
      std::clamp(switches_left_, -kMaxPauseSeconds * kSwitchesPerSecond, kSwitchesPerSecond);
  pace_.waits = switches_left_ >= 0;
  const bool dear = double(seen.switches) > seconds * kSwitchesPerSecond;
  pace_.length_ns = pace_.waits && dear ? kShortLengthNs : kLengthNs;
}

const Pace& Rate::next(const Seen& seen) {
  const double seconds = double(std::max<uint64_t>(seen.length_ns, 1)) / kSecond;
  choose_keep(double(seen.cpu_ns) / kSecond / seconds);
  pace_.length_ns = kLengthNs;
  if (!waits_) return pace_;
  if (pace_.waits) choose_wait_period(seen, seconds);
  choose_waits(seen, seconds);
  return pace_;
}

bool Rate::full(const Seen& so_far) {
  return double(so_far.on + so_far.off) >= kOnPerSecond + kOffPerSecond;
}

}  // namespace compmond::sampler
