// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "base/fd.h"
#include "base/window.h"
#include "counts/slice_store.h"
#include "engine/engines.h"
#include "pipeline/pipeline.h"
#include "pipeline/slice_recorder.h"
#include "placing/notes.h"
#include "placing/placement.h"
#include "plan/cost.h"
#include "plan/states.h"
#include "present/run_parts.h"
#include "recording/recorder.h"
#include "run/input_side.h"
#include "sampling/slice_times.h"
#include "singles/single_store.h"
#include "slicing/hot_times.h"
#include "slicing/paid.h"
#include "slicing/slice_planner.h"
#include "slicing/thread_times.h"
#include "slicing/ways_in_use.h"

namespace compmond::run {

// While a run is busy, observes random subsets of what is away in slices of the time, and counts
// what the targets read: of both, how often operations were called follows (counts/counts.h). Main
// thread.
class Slicer {
 public:
  struct Parts {  // all borrowed
    const plan::Plan& plan;
    const plan::OperationStates& states;
    const plan::Costs& costs;
    const engine::Captures& captures;
    Placement& placement;
    pipeline::Pipeline& pipeline;
    Notes& notes;
    sampling::SliceTimes& times;
    std::function<std::vector<pid_t>()> processes;  // that are observed and live
    std::function<uint64_t()> cpu_ns;               // that these used so far
    std::function<plan::Strangers()> strangers;     // what they paid so far
    std::function<void(double ns)> charge;          // what the targets lost is to be counted
    // Whether the targets have room for what probes of these, which are away, take of memory.
    std::function<bool(const std::vector<size_t>&)> room;
    // What directly calls what, as far as is known so far.
    std::function<std::vector<counts::Pair>()> callers;
    recording::Recorder* log;  // null: there is none
  };
  Slicer(Parts parts, double budget_pct);

  // Begins and ends slices at their times; `left_pct`: what they may take of the targets' CPU time;
  // `hold`: none may begin. To be called when timer() is readable, and several times a second.
  void look(uint64_t now_ns, double left_pct, bool hold);
  // The kernel says that probes take much of a thread's time. False: no slice is on. Where one
  // takes so much that it tells nothing, it is ended; its probes are gone then.
  bool alarm(const engine::Alarm& alarm);
  void end_slice();  // before its time
  void end() {       // of the run: inputs are counted no more
    end_slice();
    inputs_.end();
  }
  // These came meanwhile. In those that take probes of their own there are none of a slice that is
  // on: what they do in it is left out, since it is the same as others do at other times.
  void meet(const std::vector<pid_t>& arrived);
  bool in_slice() const { return on_.has_value(); }
  const Fd& timer() const { return timer_; }

  // Of all that are away, as slices saw them: whether they would fit the budget. None: not known.
  std::optional<bool> all_fit() const;
  // What some of these (per operation) would take of the targets' CPU time, in percent. None: not
  // known.
  std::optional<double> pct(const std::vector<bool>& operations) const;
  // Likewise their calls per ns of the CPU time that is the targets' own; 0 where it is none of
  // them.
  std::optional<double> calls_per_ns(const std::vector<bool>& operations) const;
  // What was told until now is in the log when this returns.
  void hand_on() {
    if (log_) log_->hand_on();
  }
  present::RunSlices told() const {
    return {store_, singles_, planner_.too_hot(), was_too_hot_until_ns(), !why_not_.empty()};
  }

 private:
  struct On {  // the slice that is on
    plan::See see = plan::See::kCalls;
    std::vector<bool> attached;
    std::vector<size_t> operations;
    Window window;
    std::optional<ThreadTimes> cpu;  // at its start; none: too many threads
    std::vector<pid_t> came = {};    // meanwhile
    plan::Strangers strangers = {};  // what they had called until then
    bool failed = false;             // its probes are not all there
  };
  bool begin_counting();
  void look_at_next(uint64_t now_ns, double left_pct);
  void plan_next(uint64_t now_ns, double left_pct);
  void begin_slice();
  void learn(pipeline::SliceSeen seen, const On& on, const ThreadTimes& cpu);
  void note_hot(uint64_t now_ns);
  std::vector<uint64_t> was_too_hot_until_ns() const;  // per operation; empty: none was
  void stop(std::string why);
  void wake_at(uint64_t time_ns);
  uint64_t next_look_ns(bool hold) const;
  std::set<pid_t> unprobed(const On& on) const;
  void charge_strangers(const On& on);
  std::vector<bool> away() const;
  bool sees_calls_of(size_t operation) const;

  Parts parts_;
  double budget_;
  Ways ways_;  // as loads_ is priced
  Loads loads_;
  SlicePlanner planner_;
  HotTimes hot_;
  counts::SliceStore store_;
  singles::SingleStore singles_;
  std::optional<pipeline::SliceRecorder> log_;
  InputSide inputs_;
  std::optional<SlicePlanner::Slice> next_;
  uint64_t next_ns_ = 0;  // when it begins
  bool comes_ = false;    // its inputs are counted already
  std::optional<On> on_;
  Paid paid_;
  uint32_t number_ = 0, seen_ = 0, slow_ = 0;
  double strangers_ns_ = 0;     // what strangers paid in a slice, lately
  std::string why_not_, said_;  // why none are made just now; the last reason that was noted
  uint64_t again_ns_ = 0, pause_ns_ = 60'000'000'000;  // when they are tried again
  Fd timer_;
};

}  // namespace compmond::run
