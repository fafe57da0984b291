// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "traces/traced.h"

namespace compmond::kieker {

// What an event of a trace says. A call without its own before and after events (the callee is not
// instrumented) ends with the caller's next event, as Kieker takes it.
struct TraceEvent {
  enum class Kind : uint8_t { kBefore, kAfter, kAfterFailed, kCall, kOther };
  Kind kind = Kind::kOther;
  uint64_t time_ns = 0;
  uint32_t operation = 0;  // kCall: the callee
};

// Rebuilds executions from before and after events. The events of a trace are numbered by their
// order index and are taken in that order, however the log has them; memory is bounded by the
// traces under way.
class EventTraces {
 public:
  explicit EventTraces(traces::Catalogue& catalogue) : catalogue_(catalogue) {}

  void on_metadata(int64_t trace_id, uint32_t session, uint32_t host);
  void on_event(int64_t trace_id, int64_t order, const TraceEvent& event, uint64_t logged_ns,
                traces::TracedSink& sink);
  // The log ends: tells of the traces that are not whole, and closes their open executions as
  // failed at their trace's last event, for those who want them repaired.
  void finish(uint64_t logged_ns, traces::TracedSink& sink);

 private:
  struct Frame {
    uint64_t start_ns;
    uint32_t operation;
    int32_t eoi;
  };
  struct State {
    bool known = false;  // by its metadata
    uint32_t session = 0, host = 0;
    int64_t next_order = 0;
    int32_t next_eoi = 0;
    uint64_t last_ns = 0;
    bool call_pending = false;
    TraceEvent call;
    std::vector<Frame> stack;
    std::map<int64_t, TraceEvent> waiting;  // events that came before their predecessors
  };

  void take(int64_t trace_id, State& state, const TraceEvent& event, uint64_t logged_ns,
            traces::TracedSink& sink);
  void settle_call(int64_t trace_id, State& state, const TraceEvent& event, uint64_t logged_ns,
                   traces::TracedSink& sink);
  void close(int64_t trace_id, State& state, uint64_t end_ns, bool failed, uint64_t logged_ns,
             traces::TracedSink& sink);
  void forget_rested(uint64_t logged_ns);
  void close_rest(int64_t trace_id, State& state, uint64_t logged_ns, traces::TracedSink& sink);

  traces::Catalogue& catalogue_;
  std::unordered_map<int64_t, State> states_;
  size_t waiting_ = 0;  // events in all states
  struct Rested {
    int64_t trace_id;
    int64_t next_order;
    uint64_t logged_ns;
  };
  std::deque<Rested> rested_;  // traces that look complete
};

}  // namespace compmond::kieker
