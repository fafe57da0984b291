// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_set>
#include <vector>

#include "base/fd.h"
#include "history/store.h"
#include "record/event.h"
#include "recording/recorder.h"
#include "trace/tracer.h"

namespace compmond::run {

// The data side: one thread drains an event source into tracer and store. Others ask for
// checkpoints, which the thread hands out between two drains, so that no reader ever holds it up.
class Pipeline {
 public:
  struct Options {
    std::vector<int> component_of;  // per operation
    history::Objectives objectives;
    size_t history_bytes = 0;
    uint64_t start_ns = 0;
    bool switches_stacks = false;  // the target is known to run several stacks on one thread
    recording::Recorder* recorder = nullptr;  // gets all that is drained first, where there is one
  };
  // `source` and the recorder must outlive the pipeline.
  Pipeline(record::EventSource& source, const Options& options);
  ~Pipeline();  // stops

  void start();
  // Ends the thread after one last drain; `end_ns` becomes "now" for what is still open.
  void stop(uint64_t end_ns);

  // Takes in all that was recorded so far and closes open executions as lossy at `now_ns`, for when
  // probes go away whose exits will not be seen: all of them, or those of the threads that have one
  // of `operations` open. Counts as a loss of unknown size then. Returns when done. Any thread.
  void interrupt(uint64_t now_ns, std::vector<record::OperationId> operations = {});

  // Everything so far, consistent in itself; at most one drain interval old. Any thread.
  history::Checkpoint checkpoint();
  const history::Store& store() const { return store_; }

  // Processes (pids) that appeared since the last call: first hits, forks, execs. Any thread.
  std::vector<pid_t> take_arrivals();
  // Becomes readable when there are arrivals to take; owned by the pipeline.
  const Fd& arrivals_fd() const { return arrivals_fd_; }

 private:
  class Intake;
  struct Interrupt {
    uint64_t now_ns = 0;
    std::vector<record::OperationId> operations;  // none: all
  };
  void loop();
  void take_in(const Interrupt& interrupt);
  history::Checkpoint make(uint64_t now_ns) const;

  record::EventSource& source_;
  recording::Recorder* recorder_;
  uint64_t start_ns_;
  history::Store store_;
  trace::Tracer tracer_;
  std::unique_ptr<Intake> intake_;
  std::thread thread_;
  uint64_t end_ns_ = 0;  // set once stopped

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  bool stopping_ = false;
  int wanted_ = 0;     // checkpoints asked for and not yet made
  uint64_t made_ = 0;  // number of the newest answer
  std::shared_ptr<const history::Checkpoint> answer_;
  std::unordered_set<pid_t> arrivals_;
  Fd arrivals_fd_;                      // an eventfd
  std::optional<Interrupt> interrupt_;  // asked for and not done
};

}  // namespace compmond::run
