// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/memory.h"
#include "engine/engines.h"
#include "front/run.h"
#include "guard/rights.h"
#include "hindrance/hindrances.h"
#include "pipeline/data_side.h"
#include "placing/notes.h"
#include "plan/cost.h"
#include "prepare/launcher.h"
#include "prepare/resolve.h"
#include "prepare/target_set.h"
#include "present/run_parts.h"
#include "present/view_answer.h"
#include "protocol/view.h"
#include "protocol/view_request.h"
#include "record/merge.h"
#include "run/control_side.h"
#include "run/cost_watch.h"
#include "run/objective_watch.h"
#include "run/options.h"
#include "run/sample_side.h"
#include "run_log/run_log.h"
#include "snapshot/snapshot.h"
#include "spec/model.h"

namespace compmond::run {

// Where control and data meet: what the engines placed, and the pipeline behind them, for one run.
// All functions belong to one thread.
class LiveRun : public front::Run {
 public:
  struct Parts {
    spec::Spec spec;
    prepare::TargetSet targets;
    prepare::Resolved resolved;
    engine::Engines engines;
    plan::Costs costs;
    Result<hindrance::Hindrances> hindrances;                 // as of prepare::Prepared
    std::optional<prepare::Launcher> command = std::nullopt;  // held until the run records
  };
  // Loads and attaches; has no threads yet. What needs rights is done when this returns.
  static Result<std::unique_ptr<LiveRun>> attach(Parts parts, const AttachOptions& options);
  // Begins recording: when this returns, every attached probe counts, and the command that was
  // started for it runs. Exit::kUnavailable where there is no room for the threads that this takes.
  Result<void> record();
  // What giving up rights between the two must leave.
  guard::Needs needs() const;
  ~LiveRun() override;  // stops when that has not been done

  const std::string& spec_name() const override { return parts_.spec.name; }
  bool is_replay() const override { return false; }
  bool may_be_suspended() const override;
  // Looks after processes that came or went since the last call, the probes' cost and the log.
  void service() override;
  uint64_t service_ns() const override { return 100'000'000; }  // how soon an end is noticed
  const Fd& wake_fd() const override;                           // a process came
  void stop() override;
  bool ended() const override { return stopped_; }
  snapshot::Snapshot snapshot(double window_s, const std::string& metric,
                              const snapshot::HeatWish& heat) override;
  void compare_with(const snapshot::Snapshot& saved) override;
  Result<snapshot::View> view(const snapshot::ViewRequest& request) override;
  Result<snapshot::AnalysisRequest> inside_of(const std::string& name) const override;
  const std::optional<std::string>& missed_objective() const override {
    return objectives_.missed();
  }
  std::vector<std::string> last_words() const override;  // how the command ended
  // That of the command that was started, where it has ended: to be handed on.
  int exit_code() const { return code_of_command_; }
  // Once ended: as of RunLog.
  std::optional<Error> log_failure() const { return log_ ? log_->failure() : std::nullopt; }
  Result<std::string> save_recording() override;
  Result<std::string> control(const snapshot::ControlRequest& request) override;
  std::optional<Result<std::string>> toggle_probes() override;

 private:
  LiveRun(Parts parts, const AttachOptions& options);
  Result<void> place_probes();
  Result<void> open_log();
  bool sees_calls() const;  // whether an engine at work records calls
  pipeline::Options pipeline_options() const;
  Result<void> begin_log(uint64_t start_ns);
  const std::vector<std::string>& tell_notes();
  std::optional<snapshot::Health::Strangers> strangers() const;
  void look_after_all();
  void look_at_files();
  void see_command();
  void keep_objectives();
  void correct_costs();
  present::RunParts run_parts(const history::Checkpoint& checkpoint) const;

  Parts parts_;
  AttachOptions options_;
  Notes notes_;
  std::unique_ptr<ControlSide> control_;  // once attached
  std::optional<RunLog> log_;             // likewise
  std::optional<record::Merge> events_;   // of what is under control
  pipeline::DataSide data_;               // after events_ and log_: drains one into the other
  std::optional<SampleSide> samples_;     // as control_; none: there are no samples
  ObjectiveWatch objectives_;
  CostWatch cost_watch_;
  FreeMemory free_memory_;
  present::TraceAnalyst analyst_;
  std::string end_of_command_;  // in words
  int code_of_command_ = 0;     // 0: it has not ended, or there is none
  std::optional<present::Baseline> baseline_;
  bool stopped_ = false;
};

}  // namespace compmond::run
