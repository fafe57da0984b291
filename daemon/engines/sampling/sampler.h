// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/capture.h"
#include "engine/targets.h"
#include "sampling/sample.h"
#include "sampling/unwinder.h"

namespace compmond::sampler {

// Samples of the observed processes, from the kernel: what runs where on CPUs, some times a second,
// and what threads wait for. All that needs rights happens in open() and in the first add() of
// processes; later CAP_BPF and CAP_PERFMON serve, and what cannot be read is noted. Gives
// everything back when destroyed: of the targets nothing was changed. Any thread, but drain()
// always on one.
class Sampler : public sampling::SampleSource, public engine::Targets {
 public:
  struct Options {
    double hz = 199;      // per CPU, from 1 to 10,000, before the bounds of rate.h
    bool off_cpu = true;  // waiting times, where the kernel can
    engine::TargetRule targets;
    bool moves = true;                    // take_moves() is called
    size_t ring_bytes = size_t(2) << 20;  // a power of two; more is slower, as it leaves the caches
  };
  // Exit::kNoPermission without CAP_BPF and CAP_PERFMON, Exit::kUnavailable where the kernel lacks
  // something. `unwinder` is used by drain() alone, and has to live as long as this.
  static Result<std::unique_ptr<Sampler>> open(const Options& options,
                                               sampling::Unwinder& unwinder);
  ~Sampler() override;

  // Exit::kNoInput when it is gone, Exit::kNoPermission when its memory map is not for us to see.
  Result<void> add(pid_t pid) override;
  void remove(pid_t pid) override;
  std::optional<uint64_t> since(pid_t pid) const override;
  uint64_t without_place() const override;
  std::vector<pid_t> all() const override;

  // Nothing is sampled before it is on. All CPUs begin and end at one moment. What was taken until
  // it is off comes with the next drain().
  void set_recording(engine::Recording recording);
  void drain(sampling::SampleSink& sink) override;
  Rest rest() override;
  uint64_t cost_ns() const override;

  // Processes that came to be observed by themselves, and who is observed no more, in the order in
  // which drain() met that.
  struct Move {
    pid_t pid = 0;
    pid_t parent = 0;  // that forked it; 0: it executed the program
    uint64_t time_ns = 0;
    bool left = false;
  };
  std::vector<Move> take_moves();

  bool samples_waits() const;  // off_cpu was asked for, and the kernel can
  std::vector<std::string> notes() const;

 private:
  struct Impl;
  explicit Sampler(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace compmond::sampler
