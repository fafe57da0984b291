// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/observed.h"
#include "app/options.h"
#include "app/pipeline.h"
#include "app/target_set.h"
#include "base/result.h"
#include "capture/kernel.h"
#include "probe/attach.h"
#include "probe/budget.h"
#include "probe/cost.h"
#include "probe/plan.h"
#include "snapshot/snapshot.h"
#include "spec/model.h"

namespace compmond::app {

// Where control and data meet: the kernel side, the attachments, and the pipeline behind them, for
// one run. All functions belong to one thread.
class Session {
 public:
  struct Parts {
    spec::Spec spec;
    TargetSet targets;
    std::shared_ptr<const elf::Image> program;  // the main executable
    probe::Plan plan;
    probe::CostTable costs;
    AttachKind kind = AttachKind::kSession;
  };
  // Loads, attaches, and begins recording: when this returns, every attached probe counts.
  static Result<std::unique_ptr<Session>> start(Parts parts, const AttachOptions& options);
  ~Session();  // stops when that has not been done

  // Looks after processes that came or went since the last call; cheap, to be called a few times a
  // second.
  void service();

  // Becomes readable when service() has something to do at once: a process came.
  const Fd& wake_fd() const { return pipeline_->arrivals_fd(); }

  // Whether a target still lives. With --exe later processes may come, so this stays true.
  bool targets_alive() const;

  // What is to be shown now. `window_s` <= 0: the whole run.
  snapshot::Snapshot snapshot(double window_s, const std::string& metric);

  // Ends recording, detaches everything, and takes in what was still under way. Snapshots stay
  // possible.
  void stop();

 private:
  Session(Parts parts, const AttachOptions& options);
  Result<void> begin();
  Result<void> attach_images();
  Result<void> attach(probe::Scope scope);
  void attach_newcomer(pid_t pid);
  void keep_budget();
  void attach_again();
  void note(std::string text);
  Result<void> adopt_family();
  Result<size_t> adopt_newly_found();
  void find_survivors();
  void let_go_of_ended();
  bool forks_its_own_program() const;
  bool mapped_by_strangers(const elf::Image& image) const;

  Parts parts_;
  AttachOptions options_;
  std::unique_ptr<capture::Kernel> kernel_;
  std::unique_ptr<Pipeline> pipeline_;  // after kernel_: it drains it
  std::vector<probe::Attachment> attachments_;
  std::future<void> detaching_;  // probes of ended processes
  std::vector<int>
      per_process_images_;  // images that strangers map too: attached process by process
  ObservedProcesses processes_;
  std::vector<std::string> notes_;
  std::optional<probe::OverheadBudget> budget_;
  struct {
    uint64_t time_ns = 0, cpu_ns = 0;
    std::vector<uint64_t> calls;  // per operation
  } last_look_;                   // of the budget
  bool stopped_ = false;
};

}  // namespace compmond::app
