// SPDX-License-Identifier: Apache-2.0
#include "kieker/events.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/limits.h"

namespace compmond::kieker {

using traces::TracedSink;
using Kind = TraceEvent::Kind;

void EventTraces::on_metadata(int64_t trace_id, uint32_t session, uint32_t host, uint64_t logged_ns,
                              TracedSink& sink) {
  State& state = states_[trace_id];
  state.known = true;
  state.session = session;
  state.host = host;
  take_waiting(state, {trace_id, logged_ns, sink});
}

void EventTraces::take_waiting(State& state, const To& to) {
  while (!state.waiting.empty() && state.waiting.begin()->first == state.next_order) {
    const TraceEvent next = state.waiting.begin()->second;
    state.waiting.erase(state.waiting.begin());
    --waiting_;
    take(state, next, to);
  }
  if (state.next_order > 0 && state.stack.empty() && state.waiting.empty())
    rested_.push_back({to.trace_id, state.next_order, to.logged_ns});
}

void EventTraces::on_event(int64_t trace_id, int64_t order, const TraceEvent& event,
                           uint64_t logged_ns, TracedSink& sink) {
  forget_rested(logged_ns);
  State& state = states_[trace_id];
  const To to{trace_id, logged_ns, sink};
  if (order < state.next_order) {
    sink.on_unusable(trace_id, fmt::format("the event with order index {} occurs twice", order));
    return;
  }
  if (!state.known || order > state.next_order) {
    if (waiting_ >= limits::kOpenTraceExecutions)
      return sink.on_unusable(trace_id, "too many events wait for others of their traces");
    if (!state.waiting.emplace(order, event).second)
      return sink.on_unusable(trace_id,
                              fmt::format("the event with order index {} occurs twice", order));
    ++waiting_;
    if (!state.known) return;
  } else {
    take(state, event, to);
  }
  take_waiting(state, to);
}

void EventTraces::forget_rested(uint64_t logged_ns) {
  for (; !rested_.empty() && rested_.front().logged_ns + traces::kLingerNs < logged_ns;
       rested_.pop_front()) {
    const auto at = states_.find(rested_.front().trace_id);
    if (at != states_.end() && at->second.next_order == rested_.front().next_order &&
        at->second.waiting.empty())
      states_.erase(at);
  }
}

// The latest assumed call by the operation that is heard of now is over, with all above it.
void EventTraces::close_calls_of(State& state, const TraceEvent& event, const To& to) {
  if (state.stack.empty() || !state.stack.back().assumed) return;
  const uint32_t below = state.stack.back().below;
  if (!state.assumed.contains(uint64_t(below) << 32 | event.signature)) return;
  for (bool found = false; !found;) {
    found = state.stack.back().caller == event.signature;
    close(state, event.time_ns, false, to);
  }
}

void EventTraces::begin_call(State& state, const TraceEvent& event) {
  const bool on_another = !state.stack.empty() && state.stack.back().assumed;
  const uint32_t below = on_another ? state.stack.back().below : uint32_t(state.stack.size());
  state.stack.push_back({event.time_ns, event.operation, state.next_eoi++, true,
                         state.next_order - 1, event.signature, below});
  ++state.assumed[state.stack.back().key()];
}

void EventTraces::not_assumed(State& state, const Frame& frame) {
  const auto at = state.assumed.find(frame.key());
  if (--at->second == 0) state.assumed.erase(at);
}

void EventTraces::begin(State& state, const TraceEvent& event, const To& to) {
  const int64_t order = state.next_order - 1;
  if (!state.stack.empty()) {
    Frame& top = state.stack.back();
    if (top.assumed && top.order + 1 == order && top.operation == event.operation) {
      not_assumed(state, top);
      top.assumed = false;
      top.start_ns = event.time_ns;
      return;
    }
  }
  close_calls_of(state, event, to);
  state.stack.push_back({event.time_ns, event.operation, state.next_eoi++, false, order});
}

void EventTraces::end(State& state, const TraceEvent& event, const To& to) {
  close_calls_of(state, event, to);
  if (state.stack.empty() || state.stack.back().assumed ||
      state.stack.back().operation != event.operation) {
    const auto& operation = catalogue_.operations()[event.operation];
    to.sink.on_unusable(to.trace_id,
                        fmt::format("{}.{} ends at order index {}, but it is not what ran then",
                                    operation.component, operation.name, state.next_order - 1));
    return;
  }
  close(state, event.time_ns, event.kind == Kind::kAfterFailed, to);
}

void EventTraces::take(State& state, const TraceEvent& event, const To& to) {
  ++state.next_order;
  state.last_ns = std::max(state.last_ns, event.time_ns);
  switch (event.kind) {
    case Kind::kBefore:
      return begin(state, event, to);
    case Kind::kAfter:
    case Kind::kAfterFailed:
      return end(state, event, to);
    case Kind::kCall:
      close_calls_of(state, event, to);
      return begin_call(state, event);
    case Kind::kOther:
      return;
  }
}

void EventTraces::close(State& state, uint64_t end_ns, bool failed, const To& to) {
  const Frame frame = state.stack.back();
  state.stack.pop_back();
  if (frame.assumed) not_assumed(state, frame);
  traces::TracedExecution out;
  out.trace_id = to.trace_id;
  out.start_ns = frame.start_ns;
  out.end_ns = std::max(end_ns, frame.start_ns);
  out.operation = frame.operation;
  out.host = state.host;
  out.session = state.session;
  out.eoi = frame.eoi;
  out.ess = int32_t(state.stack.size());
  out.failed = failed;
  to.sink.on_execution(out, to.logged_ns);
}

void EventTraces::close_rest(State& state, const To& to) {
  if (!state.known) {
    to.sink.on_unusable(to.trace_id, "it has no TraceMetadata");
    state.session = catalogue_.session("");
    state.host = catalogue_.host("");
  } else if (!state.waiting.empty()) {
    to.sink.on_unusable(to.trace_id,
                        fmt::format("the event with order index {} is missing", state.next_order));
  }
  const auto waiting = std::move(state.waiting);
  for (const auto& [order, event] : waiting) take(state, event, to);
  // Calls that nobody heard of again end with the last one.
  while (!state.stack.empty() && state.stack.back().assumed) close(state, state.last_ns, false, to);
  if (!state.stack.empty())
    to.sink.on_unusable(to.trace_id, fmt::format("{} executions do not end", state.stack.size()));
  while (!state.stack.empty()) close(state, state.last_ns, !state.stack.back().assumed, to);
}

void EventTraces::finish(uint64_t logged_ns, TracedSink& sink) {
  std::vector<int64_t> ids;
  for (const auto& [id, state] : states_) ids.push_back(id);
  std::sort(ids.begin(), ids.end());
  for (const int64_t id : ids) close_rest(states_.at(id), {id, logged_ns, sink});
  states_.clear();
}

}  // namespace compmond::kieker
