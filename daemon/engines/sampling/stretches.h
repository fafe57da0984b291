// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

#include "engine/capture.h"
#include "sampler/cpu_times.h"
#include "sampler/kernel.h"
#include "sampler/rate.h"
#include "sampling/sample.h"

namespace compmond::sampler {

// Cuts the time in which samples are taken into stretches of one pace each. One thread at a time.
class Stretches {
 public:
  // `cpus`: with a timer. Borrows the kernel side.
  Stretches(Kernel& kernel, double hz, bool waits, unsigned cpus);

  void record(engine::Recording recording);
  // Ends the stretch where it is time to, and begins the next one.
  void poll();
  // How long poll() and take_ended() may wait: until the stretch should end, where nothing ran in
  // it so far; else 0. After poll().
  uint64_t rest_ns() const;
  // Those that ended before; samples of their time have all been read by then, it is hoped.
  std::vector<sampling::Stretch> take_ended(uint64_t before_ns);
  // A process is observed from now on, having used so much CPU time; no more, since `at_ns`.
  void add(pid_t pid, uint64_t cpu_ns) { cpu_times_.add(pid, cpu_ns); }
  void remove(pid_t pid, uint64_t cpu_ns, uint64_t at_ns);

 private:
  void begin(uint64_t now_ns);
  void end(uint64_t now_ns);
  Seen seen(uint64_t now_ns, const Counts& now) const;

  Kernel& kernel_;
  double hz_;
  Rate rate_;
  CpuTimes cpu_times_;
  engine::Recording recording_ = engine::Recording::kOff;
  uint64_t start_ns_ = 0;
  bool waits_ = false;  // are sampled
  Counts at_start_, at_poll_;
  std::vector<sampling::Stretch::ProcessTime> gone_;  // within the stretch, as it ends
  std::vector<sampling::Stretch> ended_;
};

}  // namespace compmond::sampler
