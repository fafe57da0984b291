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

// What an event of a trace says.
struct TraceEvent {
  enum class Kind : uint8_t { kBefore, kAfter, kAfterFailed, kCall, kOther };
  Kind kind = Kind::kOther;
  uint64_t time_ns = 0;
  uint32_t operation = 0;  // kCall: the callee
  uint32_t signature = 0;  // a number of it; kCall: of the caller's
};

// Rebuilds executions from before, after and call events. The events of a trace are numbered by
// their order index and are taken in that order, however the log has them; memory is bounded by the
// traces under way.
//
// A call whose callee does not tell of itself right afterwards (it is not instrumented) is an
// assumed execution, as Kieker takes it: what begins before its caller is heard of again is nested
// in it, and the caller's next event ends it.
class EventTraces {
 public:
  explicit EventTraces(traces::Catalogue& catalogue) : catalogue_(catalogue) {}

  // Of a trace whose events may have come before it.
  void on_metadata(int64_t trace_id, uint32_t session, uint32_t host, uint64_t logged_ns,
                   traces::TracedSink& sink);
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
    bool assumed;   // known by its call alone
    int64_t order;  // assumed: the call's order index
    // Assumed: the signature of the caller, and how many frames are below all the assumed ones that
    // this one stands on.
    uint32_t caller = 0, below = 0;
    uint64_t key() const { return uint64_t(below) << 32 | caller; }
  };
  struct State {
    bool known = false;  // by its metadata
    uint32_t session = 0, host = 0;
    int64_t next_order = 0;
    int32_t next_eoi = 0;
    uint64_t last_ns = 0;
    std::vector<Frame> stack;
    std::unordered_map<uint64_t, uint32_t> assumed;  // how many there are, by their keys
    std::map<int64_t, TraceEvent> waiting;           // events that came before their predecessors
  };
  // Where executions of one trace go.
  struct To {
    int64_t trace_id;
    uint64_t logged_ns;
    traces::TracedSink& sink;
  };

  void take_waiting(State& state, const To& to);
  void take(State& state, const TraceEvent& event, const To& to);
  void begin(State& state, const TraceEvent& event, const To& to);
  void end(State& state, const TraceEvent& event, const To& to);
  static void begin_call(State& state, const TraceEvent& event);
  static void not_assumed(State& state, const Frame& frame);
  void close_calls_of(State& state, const TraceEvent& event, const To& to);
  void close(State& state, uint64_t end_ns, bool failed, const To& to);
  void close_rest(State& state, const To& to);
  void forget_rested(uint64_t logged_ns);

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
