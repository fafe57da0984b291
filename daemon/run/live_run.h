// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/memory.h"
#include "base/result.h"
#include "guard/rights.h"
#include "pipeline/pipeline.h"
#include "pipeline/publisher.h"
#include "plan/cost.h"
#include "plan/plan.h"
#include "prepare/resolve.h"
#include "prepare/target_set.h"
#include "present/run_parts.h"
#include "present/view_answer.h"
#include "record/merge.h"
#include "run/budget.h"
#include "run/file_watch.h"
#include "run/notes.h"
#include "run/objective_watch.h"
#include "run/options.h"
#include "run/placement.h"
#include "run/run_log.h"
#include "snapshot/snapshot.h"
#include "snapshot/view.h"
#include "spec/model.h"
#include "target/observed.h"
#include "uprobe/kernel.h"

namespace compmond::run {

// Where control and data meet: the kernel side, the attachments, and the pipeline behind them, for
// one run. All functions belong to one thread.
class LiveRun {
 public:
  struct Parts {
    spec::Spec spec;
    prepare::TargetSet targets;
    prepare::Resolved resolved;
    plan::CostTable costs;
    AttachKind kind = AttachKind::kSession;
  };
  // Loads and attaches; has no threads yet. What needs rights is done when this returns.
  static Result<std::unique_ptr<LiveRun>> attach(Parts parts, const AttachOptions& options);
  // Begins recording: when this returns, every attached probe counts.
  void record();
  // What giving up rights between the two must leave.
  guard::Needs needs() const;
  ~LiveRun();  // stops when that has not been done

  // Looks after processes that came or went since the last call; cheap, to be called a few times a
  // second.
  void service();

  // Becomes readable when service() has something to do at once: a process came.
  const Fd& wake_fd() const { return pipeline_->arrivals().fd(); }

  // Whether a target still lives. With --exe later processes may come, so this stays true.
  bool targets_alive() const;

  // What is to be shown now. `window_s` <= 0: the whole run.
  snapshot::Snapshot snapshot(double window_s, const std::string& metric);
  // The answer to a client, at most 20 ms old; errors as in present::answer_view.
  Result<snapshot::View> view(const snapshot::ViewRequest& request);
  const std::string& spec_name() const { return parts_.spec.name; }

  // Flight recorder (--record-last): writes the newest seconds to the log's file.
  Result<void> save_recording();
  // With --exit-on-slo: the first execution that missed its objective, in words; looked for by
  // service() and stop().
  const std::optional<std::string>& missed_objective() const { return objectives_.missed(); }

  // Ends recording, detaches everything, and takes in what was still under way. Snapshots stay
  // possible.
  void stop();

 private:
  LiveRun(Parts parts, const AttachOptions& options);
  Result<void> place_probes();
  Result<void> open_log();
  void begin_log(uint64_t start_ns);
  std::vector<std::string> notes() const;
  void meet(pid_t pid);
  void keep_budget();
  void keep_objectives();
  void take_away(const std::vector<size_t>& operations);
  void bring_back(const std::vector<size_t>& operations);
  void place_again();
  Placement::Program program_placement() const;
  Result<void> adopt_family();
  Result<size_t> adopt_newly_found();
  void find_survivors();
  present::RunParts run_parts(const history::Checkpoint& checkpoint) const;

  Parts parts_;
  AttachOptions options_;
  std::unique_ptr<uprobe::Kernel> kernel_;
  std::optional<RunLog> log_;            // once attached
  std::optional<record::Merge> events_;  // of kernel_
  std::unique_ptr<pipeline::Pipeline>
      pipeline_;  // after events_ and log_: drains one into the other
  pipeline::Publisher publisher_;
  ObjectiveWatch objectives_;
  target::ObservedProcesses processes_;
  Notes notes_;
  std::vector<std::string> shown_notes_;  // these and the log's
  FileWatch files_;
  FreeMemory free_memory_;
  std::optional<Placement> placement_;  // after what it borrows
  std::optional<run::OverheadBudget> budget_;
  struct {
    uint64_t time_ns = 0, cpu_ns = 0;
    std::vector<uint64_t> calls;  // per operation
  } last_look_;                   // of the budget
  bool stopped_ = false;
  uint64_t end_ns_ = 0;  // once stopped
  present::EventRate event_rate_;
  present::TraceAnalyst analyst_;
};

}  // namespace compmond::run
