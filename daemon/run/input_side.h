// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "base/result.h"
#include "counts/input_times.h"
#include "engine/engines.h"
#include "pipeline/slice_recorder.h"
#include "slicing/counting_plan.h"

namespace compmond::run {

// Counts what the targets read while a run is busy, as much of the time as that may cost. Main
// thread.
class InputSide {
 public:
  struct Parts {  // all borrowed
    const engine::Captures& captures;
    counts::InputTimes& times;
    pipeline::SliceRecorder* log;           // is told the same; null: there is none
    std::function<uint64_t()> cpu_ns;       // that the targets used so far
    std::function<void(double ns)> charge;  // what the targets lost is to be counted
  };
  // `budget`: the part of the targets' CPU time that all may cost.
  InputSide(Parts parts, double budget, uint64_t seed);

  // All is counted from now on, at first. An error: it cannot be.
  Result<void> begin();
  void end();
  bool counts() const { return counting_ != nullptr; }

  // Begins and ends windows; not while a slice comes or is there. `hold`: probes of a try are
  // there. An error: it costs too much, and is over.
  Result<void> look(uint64_t now_ns, bool hold);
  uint64_t next_ns() const;  // when it is to be called at the latest

  // All is counted until some time after slice_over(). Whether nothing was until now: the slice has
  // to wait for threads to read something.
  Result<bool> slice_comes();
  void slice_over();
  CountingPlan& plan() { return plan_; }
  double share() const { return share_; }  // of the targets' CPU time, that counting took lately

 private:
  using Part = counts::InputTimes::Part;
  void take(Part part);
  void tell(uint64_t until_ns, const counts::InputTimes::Seen& seen);
  Result<void> turn_on(Part part);
  void turn_off();
  Result<void> look_at_windows(uint64_t now_ns, bool hold);
  Result<void> learn(uint64_t now_ns);
  Result<void> change_how();

  Parts parts_;
  double budget_;
  CountingPlan plan_;
  std::unique_ptr<engine::InputCounting> counting_;
  engine::Inputs read_;  // as of taken_ns_
  uint64_t taken_ns_ = 0;
  bool on_ = false, slice_ = false;
  Part part_ = Part::kCounted;  // of what is counted now
  uint64_t until_ns_ = 0;       // that, unless a slice comes
  uint64_t window_ns_ = 0;      // when the next window begins
  double slowed_ = 0;           // the targets, at most, by being counted
  double share_ = 0;
  uint64_t learned_ns_ = 0, learned_cpu_ns_ = 0;
  // Since then, of one kind, and the time in which each was looked at.
  struct Looked {
    double many = 0, cost_ns = 0, of_ns = 0;
    void add(double more, double each_ns, double ns) {
      many += more;
      cost_ns += more * each_ns;
      of_ns += ns;
    }
    double rate() const { return of_ns > 0 ? many / of_ns : 0; }      // per ns
    double costs() const { return of_ns > 0 ? cost_ns / of_ns : 0; }  // in CPUs
  };
  Looked calls_, receives_;
  double begun_ns_ = 0;  // likewise, what calls cost while counting began
};

}  // namespace compmond::run
