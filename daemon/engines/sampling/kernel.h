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

// Sums over all CPUs since the programs were loaded, as in struct cm_counts.
struct Counts {
  uint64_t on = 0, off = 0;  // samples put into the ring, of threads on a CPU and of waiting ones
  uint64_t lost = 0;         // samples, and news of processes, that had no room
  uint64_t switches = 0;     // from threads of targets, while waits were looked at
  // Time that looking at switches took: of threads of targets, and of all.
  uint64_t own_looks_ns = 0, all_looks_ns = 0;
  uint64_t samples_ns = 0;  // that taking samples on CPUs took
};

// The loaded BPF programs and maps of one run. Gives everything back to the kernel when destroyed;
// nothing is pinned. Any thread, but begin(), end() and cut_waits() one thread at a time. Threads
// and processes are numbered as the kernel's first PID namespace does.
class Kernel {
 public:
  struct Options {
    bool waits = true;  // where the kernel can
    engine::TargetRule targets;
    size_t ring_bytes = 0;  // for samples on their way to us: a power of two, whole pages
  };
  // Exit::kNoPermission without CAP_BPF and CAP_PERFMON; Exit::kUnavailable when the kernel lacks
  // what is needed at least.
  static Result<std::unique_ptr<Kernel>> load(const Options& options);
  ~Kernel();

  int timer_program() const;               // a descriptor, for perf events; borrowed
  uint64_t without_place() const;          // as of engine::Targets
  bool sees_waits() const;                 // waiting times can be sampled
  std::vector<std::string> notes() const;  // what this kernel cannot do

  bpf_engine::TargetMap targets() const;  // serves as long as this lives

  // Samples are taken at this pace from `now_ns` on, CLOCK_MONOTONIC, which is now. Called again it
  // changes the pace. The programs that look at switches are there only while waits are sampled.
  // Returns whether waits are, as asked for: not where these programs cannot be attached any more.
  bool begin(const Pace& pace, uint64_t now_ns);
  void end();  // none any more; those under way may still come
  // News of processes whose last thread is gone, where it was told before that it was about to be.
  void tell_ended();
  // Makes samples of what threads wait for right now: of the part of it that lies before now. Does
  // nothing where the kernel cannot read their stacks, see notes().
  void cut_waits();

  // Whether samples tell that a thread was at work for a probe. Known once one was taken.
  bool sees_probes() const;

  Counts counts() const;  // zeros where they cannot be read
  // Up to which address the thread's stack goes: what lies beyond is not copied. Where it is not
  // known, or there is no room for more, as much is copied as a sample may have.
  void learn_stack_top(uint32_t tid, uint64_t top);
  void forget_stack_top(uint32_t tid);
  // Records of cm_sample (sampling/record.h) and of cm_process (sampler/bpf/told.h). Each is read
  // by one Ring, the caller's, in which nothing arrives once this is gone. Exit::kUnavailable where
  // it cannot be mapped.
  Result<Ring> open_samples() const;
  Result<Ring> open_news() const;

 private:
  struct Impl;
  explicit Kernel(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace compmond::sampler
