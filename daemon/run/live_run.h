// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/memory.h"
#include "base/result.h"
#include "engine/engines.h"
#include "front/run.h"
#include "guard/rights.h"
#include "pipeline/event_rate.h"
#include "pipeline/pipeline.h"
#include "pipeline/publisher.h"
#include "plan/cost.h"
#include "plan/states.h"
#include "prepare/launcher.h"
#include "prepare/resolve.h"
#include "prepare/target_set.h"
#include "present/run_parts.h"
#include "present/view_answer.h"
#include "record/merge.h"
#include "run/budgeter.h"
#include "run/family.h"
#include "run/file_watch.h"
#include "run/notes.h"
#include "run/objective_watch.h"
#include "run/options.h"
#include "run/placement.h"
#include "run/run_log.h"
#include "snapshot/snapshot.h"
#include "snapshot/view.h"
#include "snapshot/view_request.h"
#include "spec/model.h"

namespace compmond::run {

// Where control and data meet: the engines, what they placed, and the pipeline behind them, for
// one run. All functions belong to one thread.
class LiveRun : public front::Run {
 public:
  struct Parts {
    spec::Spec spec;
    prepare::TargetSet targets;
    prepare::Resolved resolved;
    engine::Engines engines;
    plan::Costs costs;
    std::optional<prepare::Launcher> command = std::nullopt;  // held until the run records
  };
  // Loads and attaches; has no threads yet. What needs rights is done when this returns.
  static Result<std::unique_ptr<LiveRun>> attach(Parts parts, const AttachOptions& options);
  // Begins recording: when this returns, every attached probe counts, and the command that was
  // started for it runs.
  Result<void> record();
  // What giving up rights between the two must leave.
  guard::Needs needs() const;
  ~LiveRun() override;  // stops when that has not been done

  const std::string& spec_name() const override { return parts_.spec.name; }
  bool is_replay() const override { return false; }
  // Looks after processes that came or went since the last call, the probes' cost and the log.
  void service() override;
  uint64_t service_ns() const override { return 100'000'000; }  // how soon an end is noticed
  const Fd& wake_fd() const override;                           // a process came
  void stop() override;
  bool ended() const override { return stopped_; }
  snapshot::Snapshot snapshot(double window_s, const std::string& metric) override;
  Result<snapshot::View> view(const snapshot::ViewRequest& request) override;
  const std::optional<std::string>& missed_objective() const override {
    return objectives_.missed();
  }
  std::vector<std::string> last_words() const override;  // how the command ended
  Result<std::string> save_recording() override;
  Result<std::string> move(const snapshot::ControlRequest& request) override;

 private:
  LiveRun(Parts parts, const AttachOptions& options);
  void look_after_all();
  void see_command();
  Result<void> place_probes();
  Result<void> open_log();
  void begin_log(uint64_t start_ns);
  std::vector<std::string> notes() const;
  void meet(const std::vector<pid_t>& arrived);
  void keep_budget();
  void keep_objectives();
  present::RunParts run_parts(const history::Checkpoint& checkpoint) const;

  Parts parts_;
  AttachOptions options_;
  plan::OperationStates states_;
  std::optional<engine::Captures> captures_;
  std::optional<Family> family_;
  std::string attach_;                   // as they say
  std::optional<RunLog> log_;            // once attached
  std::optional<record::Merge> events_;  // of captures_
  std::unique_ptr<pipeline::Pipeline>
      pipeline_;  // after events_ and log_: drains one into the other
  pipeline::Publisher publisher_;
  ObjectiveWatch objectives_;
  Notes notes_;
  std::vector<std::string> shown_notes_;  // these and the log's
  FileWatch files_;
  FreeMemory free_memory_;
  std::optional<Placement> placement_;  // after what it borrows
  std::optional<Budgeter> budgeter_;    // none: it may cost what it costs
  std::string end_of_command_;          // in words
  bool stopped_ = false;
  uint64_t end_ns_ = 0;  // once stopped
  pipeline::EventRate event_rate_;
  present::TraceAnalyst analyst_;
};

}  // namespace compmond::run
