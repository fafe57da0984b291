// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "bpf_engine/target_map.h"
#include "engine/targets.h"
#include "sampler/rate.h"
#include "sampler/ring.h"

namespace compmond::sampler {

// Sums over all CPUs since the programs were loaded; see struct cm_counts.
struct Counts {
  uint64_t on = 0, off = 0, lost = 0, switches = 0;
};

// The loaded BPF programs and maps of one run. Gives everything back to the kernel when destroyed;
// nothing is pinned. Any thread, but waits and pace one thread at a time.
class Kernel {
 public:
  struct Options {
    bool waits = true;  // where the kernel can
    engine::TargetRule targets;
    size_t ring_bytes = 0;
  };
  // Exit::kNoPermission without CAP_BPF and CAP_PERFMON; Exit::kUnavailable when the kernel lacks
  // what is needed at least.
  static Result<std::unique_ptr<Kernel>> load(const Options& options);
  ~Kernel();

  int timer_program() const;
  bool sees_waits() const;                 // waiting times can be sampled
  std::vector<std::string> notes() const;  // what this kernel cannot do

  bpf_engine::TargetMap targets() const;  // serves as long as this lives

  // Samples are taken at this pace from now on.
  void begin(const Pace& pace, uint64_t now_ns);
  void end();
  // Makes samples of what threads wait for right now: of the part of it that lies before now.
  void cut_waits();

  Counts counts() const;
  void learn_stack_top(uint32_t tid, uint64_t top);
  void forget_stack_top(uint32_t tid);
  Result<Ring> open_samples() const;
  Result<Ring> open_news() const;

 private:
  struct Impl;
  explicit Kernel(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace compmond::sampler
