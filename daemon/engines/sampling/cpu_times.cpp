// SPDX-License-Identifier: Apache-2.0
#include "sampler/cpu_times.h"

#include <algorithm>
#include <ctime>

#include "base/clock.h"

namespace compmond::sampler {

std::optional<uint64_t> process_cpu_ns(pid_t pid) {
  // What clock_getcpuclockid() returns, without its look-up (see clock_getcpuclockid(3) and
  // CPUCLOCK_SCHED of the kernel): read some times a second for each process.
  const auto clock = clockid_t(~unsigned(pid) << 3 | 2u);
  timespec used{};
  if (::clock_gettime(clock, &used) != 0) return std::nullopt;
  return ns_of(used);
}

void CpuTimes::add(pid_t pid, uint64_t before_ns) { told_.emplace(pid, before_ns); }

uint64_t CpuTimes::remove(pid_t pid, uint64_t total_ns) {
  const auto found = told_.find(pid);
  if (found == told_.end()) return 0;
  const uint64_t told = found->second;
  told_.erase(found);
  return total_ns > told ? total_ns - told : 0;
}

bool CpuTimes::any() const {
  return std::ranges::any_of(told_, [&](const auto& one) {
    const auto now = clock_(one.first);
    return now && *now > one.second;
  });
}

std::vector<sampling::Stretch::ProcessTime> CpuTimes::take() {
  std::vector<sampling::Stretch::ProcessTime> out;
  for (auto& [pid, told] : told_) {
    const auto now = clock_(pid);
    if (!now || *now <= told) continue;
    out.push_back({uint32_t(pid), *now - told});
    told = *now;
  }
  return out;
}

}  // namespace compmond::sampler
