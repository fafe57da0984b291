// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "base/window.h"
#include "history/store.h"
#include "pipeline/arrivals.h"
#include "pipeline/slice_watch.h"
#include "record/event.h"
#include "recording/recorder.h"
#include "trace/tracer.h"

namespace compmond::pipeline {

// What the data side is to make of the events of a run.
struct Options {
  std::vector<int> component_of;  // per operation
  history::Objectives objectives;
  size_t history_bytes = 0;
  uint64_t start_ns = 0;
  bool switches_stacks = false;      // the target is known to run several stacks on one thread
  uint32_t open_exits = UINT32_MAX;  // limited ones that can be awaited at once, per thread
  bool calls = true;                 // some are seen; else processes alone come and go
  recording::Recorder* recorder = nullptr;  // gets all that is drained first, where there is one
};

// Where drained events go: into the log, the tracer and the store; notices new processes. Of the
// drain thread, but for the store's readers.
class Intake : public record::EventSink {
 public:
  // The recorder and `arrivals` must outlive it.
  Intake(const Options& options, Arrivals& arrivals);

  void on_thread(record::ThreadId thread, const record::ThreadInfo& info) override;
  void on_events(record::ThreadId thread, std::span<const record::Event> events) override;

  // As of Changes; what was recorded has to be taken in before the last two.
  void begin_change(uint64_t now_ns, const std::vector<record::OperationId>& operations);
  void close_open();
  void end_change() { change_.reset(); }

  // Until end_slice() what attached operations do is the slice's alone: it is in no log and no
  // figures. At the end all of it has to be taken in. As of SliceWatch.
  void begin_slice(SliceWatch::Of of);
  SliceSeen end_slice(Window slice, uint64_t first_ends_ns, const std::set<pid_t>& unprobed);

  // What was taken in so far; the transport's accounts are the source's to tell.
  void fill(history::Checkpoint& checkpoint) const;
  const history::Store& store() const { return store_; }
  std::array<uint64_t, record::kTransfers> transfers() const {
    return std::to_array(tracer_.ledger().transfers);
  }

 private:
  void take_in(record::ThreadId thread, std::span<const record::Event> events);
  void lost(record::ThreadId thread, const record::Event& first, const record::Event& loss);
  struct Change {
    uint64_t since_ns = 0;
    std::vector<bool> operations;
    std::set<record::ThreadId> left;  // nothing of them is open on these
  };
  void take_in_changing(record::ThreadId thread, std::span<const record::Event> events);
  void leave(record::ThreadId thread);
  void end(record::ThreadId thread);
  pid_t pid_of(record::ThreadId thread) const;  // 0: it ended long ago

  recording::Recorder* recorder_;
  Arrivals& arrivals_;
  uint64_t start_ns_;
  history::Store store_;
  trace::Tracer tracer_;
  std::vector<int> component_of_;
  trace::Tracer::Stacks stacks_;
  uint32_t open_exits_;
  std::map<record::ThreadId, record::ThreadInfo> living_;
  std::map<record::ThreadId, pid_t> ended_;  // the newest
  bool sliced_ = false;                      // there was a slice: its last inputs may come late
  std::optional<SliceWatch> slice_;
  std::optional<Change> change_;
  std::vector<record::Event> others_, counting_;
};

}  // namespace compmond::pipeline
