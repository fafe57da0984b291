// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "sampling/sample.h"

namespace compmond::sampler {

// CPU time that the process and all its threads used so far, in ns, those that have ended included.
// Of a thread that runs right now up to a tick (1 to 10 ms) is missing, which is there next time.
// None when it is gone. Needs no rights.
std::optional<uint64_t> process_cpu_ns(pid_t pid);

// The CPU time of the observed processes, stretch by stretch: exact, as the sum over stretches is
// what the kernel counts.
class CpuTimes {
 public:
  using Clock = std::function<std::optional<uint64_t>(pid_t)>;
  explicit CpuTimes(Clock clock = process_cpu_ns) : clock_(std::move(clock)) {}

  // It is observed from now on, having used so much. Nothing when it is known.
  void add(pid_t pid, uint64_t before_ns);
  // It is observed no more, having used so much. What of it take() has not told yet.
  uint64_t remove(pid_t pid, uint64_t total_ns);
  // What was used since the last call, by those that used any.
  std::vector<sampling::Stretch::ProcessTime> take();
  bool any() const;  // whether take() would have some

 private:
  Clock clock_;
  std::unordered_map<pid_t, uint64_t> told_;  // by take(), of those observed
};

}  // namespace compmond::sampler
