// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "capture/event.h"
#include "trace/execution.h"
#include "trace/thread_state.h"

namespace compmond::trace {

// The pairing rule of tracer.h applied to the state of one thread at a time. `now` is never before
// the thread's latest time. Keeps the ledger; tells the sink.
class Pairing {
 public:
  Pairing(std::vector<int> component_of, ExecutionSink& sink);

  // The thread whose events follow.
  void begin_events(ThreadId thread) { thread_now_ = thread; }
  // Credits the time up to now to the frame that runs.
  void settle(ThreadState& t, uint64_t now);
  // The event's operation is one of operations().
  void entry(ThreadState& t, const capture::Event& event, uint64_t now);
  void exit(ThreadState& t, const capture::Event& event, uint64_t now);
  void close_all(ThreadState& t, Closed reason, uint64_t now);

  size_t operations() const { return component_of_.size(); }
  // How many counters ThreadState::open_of needs.
  size_t counters() const { return component_of_.size() + components_; }
  Ledger& ledger() { return ledger_; }

 private:
  void choose_stack(ThreadState& t, uint64_t sp, uint64_t now);
  void bury(ThreadState& t, Stack& stack, uint64_t sp, bool with_equal, uint64_t now);
  OpenExecution describe(ThreadState& t, const capture::Event& event, uint64_t now);
  void close(ThreadState& t, Stack& stack, Closed reason, uint64_t now);
  void evict_bottom(ThreadState& t, uint64_t now);
  void emit_closed(ThreadState& t, const Frame& frame, Closed reason, uint64_t now);
  void orphan(ThreadState& t, const capture::Event& event);
  void note_switching(const ThreadState& t, bool before) {
    if (!before && t.seen_switching()) ++ledger_.stack_switches;
  }
  size_t component_counter(OperationId op) const {
    return component_of_.size() + size_t(std::max(component_of_[op], 0));
  }

  std::vector<int> component_of_;
  size_t components_;
  ExecutionSink& sink_;
  Ledger ledger_;
  uint64_t next_trace_ = 1;
  ThreadId thread_now_ = 0;
};

}  // namespace compmond::trace
