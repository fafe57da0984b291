// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace compmond::sampler {

// Runs a BPF program on each CPU some times a second of the CPU's time, whoever uses it. (An event
// for each thread would cost 3.5 us at each switch, and so distort what it measures.) Stops when
// destroyed. One thread.
class Timer {
 public:
  // `program`: of the type perf_event. Not running yet. Errors as of open_on_cpus().
  static Result<Timer> open(double hz, int program);

  void run(bool on);  // any thread, but one at a time
  // To be called often; about every 60 ms it draws the period of each CPU anew, by up to 25 %, so
  // that nothing that the target does at fixed intervals is hit too often or never.
  void jitter(uint64_t now_ns);
  unsigned cpus() const { return unsigned(events_.size()); }

 private:
  Timer() = default;
  double hz_ = 0;
  std::vector<Fd> events_;
  std::minstd_rand random_;
  uint64_t jittered_ns_ = 0;
  size_t next_ = 0;
};

}  // namespace compmond::sampler
