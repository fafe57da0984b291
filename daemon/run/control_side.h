// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "engine/engines.h"
#include "hindrance/watch.h"
#include "intact/check.h"
#include "intact/watch.h"
#include "later/file_watch.h"
#include "later/risk_watch.h"
#include "pipeline/pipeline.h"
#include "placing/notes.h"
#include "placing/placement.h"
#include "placing/switching.h"
#include "plan/copied_pages.h"
#include "plan/cost.h"
#include "plan/later_copies.h"
#include "plan/states.h"
#include "prepare/options.h"
#include "prepare/resolve.h"
#include "prepare/target_set.h"
#include "run/budgeter.h"
#include "run/family.h"
#include "run/sample_side.h"
#include "run/slicer.h"
#include "sampling/sample.h"
#include "spec/model.h"
#include "target/observed.h"

namespace compmond::run {

// The control side of a run: the engines at work, whom they observe, what they placed where, and
// what that may cost. One thread.
class ControlSide {
 public:
  struct Parts {  // all borrowed
    const spec::Spec& spec;
    const prepare::TargetOptions& asked;
    const prepare::TargetSet& targets;
    const prepare::Resolved& resolved;
    const plan::Costs& costs;
    Notes& notes;
    double max_overhead_pct;  // of the targets' CPU time; 0: probes may cost what they cost
    bool exit_on_slo;         // operations with objectives must see every call
  };
  // Opens the engines; has no threads. Errors as of engine::Engines::open.
  static Result<std::unique_ptr<ControlSide>> open(const Parts& parts, engine::Engines& engines,
                                                   size_t ring_bytes);
  // Places the probes, which do not count yet but cost: begin() is to follow soon. Errors as of
  // Placement::place; Exit::kUnavailable where every operation is refused.
  Result<void> place(Result<hindrance::Hindrances> hindrances);

  // From now on every probe counts. `pipeline` takes in what they tell; `samples`: null where none
  // are taken; `log` gets what slices tell, null: there is none. All must outlive end().
  void begin(pipeline::Pipeline& pipeline, const SampleSide* samples, recording::Recorder* log);
  // Looks after processes that came or went and the probes' cost. Many times a second, and when
  // wake_fd() is readable.
  void look_after();
  // Likewise after files that were replaced, and those that processes execute, by samples: `met`
  // since the last time.
  void look_at_files(const std::vector<sampling::Image>& met, bool last);
  const Fd& wake_fd() const { return wake_; }
  // Looks what CPU time the targets used so far, and who still lives.
  void refresh() { family_.refresh(); }
  // Whether a target still lives, or may come.
  bool lives() const { return family_.lives(); }
  // Takes the probes away, and says where a debugger left something in their place; returns the
  // moment from which they did not count any more.
  uint64_t end();

  const engine::Captures& captures() const { return captures_; }
  // What is to be said by now of processes that came and went, and of strangers.
  std::vector<std::string> notes() const;
  const plan::Strangers& strangers() const { return strangers_; }  // up to a second ago
  const plan::OperationStates& states() const { return states_; }
  const target::ObservedProcesses& processes() const { return family_.processes(); }
  // Null: none are made in this run.
  const Slicer* slices() const { return slicer_ ? &*slicer_ : nullptr; }
  void hand_on();  // what slices told until now is in the log when this returns
  const sampling::SliceTimes& slice_times() const { return slice_times_; }
  // As of Switching; `name` empty: all of them. Only between begin() and end().
  Result<std::string> switch_probes(const std::string& name, bool on);

 private:
  ControlSide(const Parts& parts, engine::Captures captures, intact::Looker looker,
              std::optional<later::RiskWatch> risks);
  void meet(const std::vector<pid_t>& arrived);
  void miss_those_without_place();
  void answer_alarm();
  void keep_budget();
  void keep_room();
  void keep_standing();
  void act_on(const std::vector<intact::Watch::Finding>& findings);
  void keep_calls_arriving();
  void place_anew(std::vector<size_t> gone);
  void patch_what_was_loaded();
  Rehanger rehanger();
  void end_slice();
  std::vector<pid_t> alive() const;
  void look_at_strangers();
  void look_for_leftovers();
  void tell(std::string note);
  void begin_switching();
  void begin_slicing(const SampleSide* samples, recording::Recorder* log);
  uint64_t cpu_used_ns();
  bool has_room(const std::vector<size_t>& away);
  void watch(int fd);

  Parts parts_;
  engine::Captures captures_;
  plan::OperationStates states_;
  Family family_;
  std::vector<pid_t> bystanders_;  // of the family, as of the start
  plan::CopiedPages copied_;
  plan::LaterCopies later_copies_;
  intact::Check check_;
  Placement placement_;
  intact::Watch watch_;
  std::optional<hindrance::Watch> hindrances_;  // none: no probe depends on it
  struct Fallen {
    int times = 0;
    uint64_t until_ns = 0;  // missed until then is known
  };
  std::map<size_t, Fallen> fallen_;  // operations whose probes did not stand
  later::FileWatch files_;
  std::optional<later::RiskWatch> risks_;   // none: no way of the plan depends on it
  uint64_t looked_ns_ = 0;                  // after whom came
  pipeline::Pipeline* pipeline_ = nullptr;  // once begun
  std::optional<Budgeter> budgeter_;        // none: they may cost what they cost
  sampling::SliceTimes slice_times_;
  std::optional<Slicer> slicer_;        // likewise
  std::optional<Switching> switching_;  // once begun
  Fd wake_;  // readable when processes came or probes take most of a thread's time
  uint64_t without_place_ = 0;  // processes, of whom it is known
  plan::Strangers strangers_;   // as seen last
  uint64_t strangers_seen_ns_ = 0;
  uint64_t alarms_since_ns_ = 0;  // those of what began earlier are answered
};

}  // namespace compmond::run
