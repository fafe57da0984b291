// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <linux/types.h>
#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "mapped_code/mappings.h"
#include "mapped_code/sideband.h"
#include "sampler/bpf/told.h"
#include "sampler/kernel.h"
#include "sampler/ring.h"
#include "sampler/walker.h"

namespace compmond::sampler {

// Who is observed, as the user of the sampler wants it, and is told of it.
class ProcessSink {
 public:
  virtual ~ProcessSink() = default;
  struct Change {
    pid_t pid = 0;
    bool added = false;
    std::vector<sampling::Mapping> code;  // of one that was added
  };
  // Since the last call. A process is added before the first sample of it can be taken.
  virtual std::vector<Change> take_changes() = 0;
  // Which processes come to be observed by themselves, and which are no more, as samples of that
  // time are met.
  // `parent`: that forked it; 0: it executed a program. `cpu_ns`: what it used before.
  virtual void on_begin(pid_t pid, pid_t parent, uint64_t cpu_ns, uint64_t time_ns) = 0;
  virtual void on_end(pid_t pid, uint64_t cpu_ns, uint64_t time_ns) = 0;
};

// What the kernel tells: samples, what becomes of processes, and what code they map. Merges it by
// time, so that each sample is unwound with what was mapped then. One thread.
class Feed {
 public:
  // Borrows all of these. Errors as of Ring, Sideband. `candidates`: see Mappings.
  static Result<std::unique_ptr<Feed>> open(Kernel& kernel, Images& images, PerfMaps& perf_maps,
                                            sampling::Unwinder& unwinder, bool candidates,
                                            ProcessSink& processes);

  // Hands over all that happened before `now_ns`, the present.
  void drain(sampling::SampleSink& sink, uint64_t now_ns);
  // Readable when there is something to drain, or no more room soon. Borrowed.
  std::vector<int> descriptors() const;
  bool pending() const { return !events_.empty() || !news_.empty(); }  // of after the last drain()
  // Processes of which Kernel::tell_ended() tells more soon.
  bool ending() const { return !ending_.empty(); }
  // Events that had no room: then what is mapped was read again.
  uint64_t lost() const { return lost_; }

 private:
  struct Rings {
    Ring samples, news;
    Sideband sideband;
  };
  Feed(Rings rings, Kernel& kernel, Images& images, PerfMaps& perf_maps,
       sampling::Unwinder& unwinder, bool candidates, ProcessSink& processes);
  void read(uint64_t now_ns);
  void read_news(uint64_t now_ns);
  void hand_over(sampling::SampleSink& sink, uint64_t now_ns);
  void apply_until(uint64_t time_ns, size_t sample, sampling::SampleSink& sink);
  void walk_until(size_t sample, sampling::SampleSink& sink);
  void apply(const cm_process& process);
  void adopt(uint32_t pid);
  void make_up_for_loss();

  Rings rings_;
  Images& images_;
  Mappings mappings_;
  Walker walker_;
  ProcessSink& processes_;
  // Read, and not applied yet, each ordered by time; and how far they are, during a drain.
  std::vector<sampling::RawSample> samples_;
  std::vector<SidebandEvent> events_;
  std::vector<cm_process> news_;
  std::vector<uint32_t> left_;  // who is not observed any more; there may be samples of before
  std::unordered_map<uint32_t, uint64_t> ending_;  // by pid: when its end began, ns
  size_t walked_ = 0, event_ = 0, piece_ = 0;
  uint64_t lost_ = 0;
};

}  // namespace compmond::sampler
