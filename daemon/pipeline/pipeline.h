// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "core/worker.h"
#include "history/store.h"
#include "pipeline/arrivals.h"
#include "pipeline/changes.h"
#include "pipeline/intake.h"
#include "record/event.h"

namespace compmond::pipeline {

// A picture of the run at one moment: made once, never changed, shared by all who look at it.
using SharedCheckpoint = std::shared_ptr<const history::Checkpoint>;

struct Counts : history::Counts {
  std::array<uint64_t, record::kTransfers> transfers{};  // as in trace::Ledger
  uint64_t delivered = 0, lost = 0;                      // records: as in record::Ledger
};

// The data side: one thread drains an event source into tracer and store. Others ask for
// checkpoints, which the thread makes between two drains, so that no reader ever holds it up.
class Pipeline : public Changes {
 public:
  // `source` and the recorder must outlive the pipeline.
  Pipeline(record::EventSource& source, const Options& options);
  ~Pipeline() override;  // stops

  // `worker` is busy with it until it has stopped, and must outlive it.
  void start(Worker& worker);
  // Ends the thread after one last drain; `end_ns` becomes "now" for what is still open. Who waits
  // for an answer gets one of the end.
  void stop(uint64_t end_ns);

  void begin_change(uint64_t now_ns, std::vector<record::OperationId> operations) override;
  void close_open() override;
  void end_change() override;

  // As of Intake, before the probes of a slice are placed and when they are gone. Done when these
  // return. One thread.
  void begin_slice(SliceWatch::Of of);
  SliceSeen end_slice(Window slice, uint64_t first_ends_ns, const std::set<pid_t>& unprobed);

  // Everything so far, consistent in itself; at most one drain interval old. Who asks at the same
  // time gets the same one. Any thread.
  SharedCheckpoint checkpoint();
  // Likewise what the probes were hit alone: far cheaper.
  Counts counts();
  uint64_t start_ns() const { return start_ns_; }
  // For its readers' functions.
  const history::Store& store() const { return intake_.store(); }

  // Processes that appeared: first hits, forks, execs.
  Arrivals& arrivals() { return arrivals_; }

 private:
  struct Change {
    uint64_t since_ns = 0;
    std::vector<record::OperationId> operations;
  };
  // What others ask of the thread, to be done between two drains.
  struct Wishes {
    bool checkpoint = false, counts = false;
    std::optional<Change> change;  // begins
    bool close_open = false, end_change = false;
    std::function<void()> slice;  // after all that was recorded until then was taken in
  };
  void loop();
  void finish();
  void drain_all();
  void grant(std::unique_lock<std::mutex>& lock, uint64_t now_ns);
  void start_change(std::unique_lock<std::mutex>& lock);
  void wait_granted(std::unique_lock<std::mutex>& lock);
  Counts count() const;
  SharedCheckpoint make(uint64_t now_ns) const;

  record::EventSource& source_;
  uint64_t start_ns_;
  std::chrono::milliseconds idle_;  // how long it sleeps while no event comes
  Arrivals arrivals_;
  Intake intake_;
  Worker* worker_ = nullptr;  // once started

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  bool running_ = false, stopping_ = false;
  uint64_t end_ns_ = 0;  // set by stop()
  Wishes wishes_;        // asked for and not begun
  uint64_t asked_ = 0;   // number of the newest wish
  uint64_t granted_ = 0;
  SharedCheckpoint checkpoint_;  // the newest answers
  Counts counts_;
};

}  // namespace compmond::pipeline
