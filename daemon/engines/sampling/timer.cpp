// SPDX-License-Identifier: Apache-2.0
#include "sampler/timer.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cerrno>

#include "base/clock.h"
#include "mapped_code/cpus.h"

namespace compmond::sampler {
namespace {

constexpr double kSecondNs = 1e9;
constexpr double kSpread = 0.25;
// A new period begins anew on its CPU: half a period is lost on average, so some should fit.
constexpr uint64_t kMinJitterNs = 60'000'000;
constexpr double kMinPeriods = 10;
// Each costs an interrupt on its CPU; with more CPUs they take turns.
constexpr size_t kCpusAtOnce = 16;

}  // namespace

Result<Timer> Timer::open(double hz, int program) {
  Timer timer;
  timer.hz_ = hz;
  timer.random_.seed(unsigned(monotonic_ns()));
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_CPU_CLOCK;
  attributes.sample_period = uint64_t(kSecondNs / hz);
  attributes.disabled = 1;
  constexpr const char* kWhat = "cannot take samples on a timer";
  auto opened = open_on_cpus(attributes, kWhat, [&](unsigned, Fd event) -> Result<void> {
    if (::ioctl(event.get(), PERF_EVENT_IOC_SET_BPF, program) != 0)
      return fail_errno(is_permission(errno) ? Exit::kNoPermission : Exit::kUnavailable, kWhat,
                        errno, "A kernel with CONFIG_BPF_EVENTS is needed (all distributions').");
    timer.events_.push_back(std::move(event));
    return {};
  });
  if (!opened) return Unexpected(opened.error());
  return timer;
}

void Timer::run(bool on) {
  for (const Fd& event : events_)
    ::ioctl(event.get(), on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

void Timer::jitter(uint64_t now_ns) {
  const auto least = std::max(kMinJitterNs, uint64_t(kMinPeriods * kSecondNs / hz_));
  if (now_ns - jittered_ns_ < least) return;
  jittered_ns_ = now_ns;
  // Rates are drawn, not periods: their average is hz_ then.
  std::uniform_real_distribution<double> rate(hz_ * (1 - kSpread), hz_ * (1 + kSpread));
  for (size_t i = 0; i < std::min(kCpusAtOnce, events_.size()); ++i) {
    uint64_t period = uint64_t(kSecondNs / rate(random_));
    ::ioctl(events_[next_++ % events_.size()].get(), PERF_EVENT_IOC_PERIOD, &period);
  }
}

}  // namespace compmond::sampler
