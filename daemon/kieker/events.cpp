// SPDX-License-Identifier: Apache-2.0
#include "kieker/events.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/limits.h"

namespace compmond::kieker {

using traces::TracedSink;
using Kind = TraceEvent::Kind;

void EventTraces::on_metadata(int64_t trace_id, uint32_t session, uint32_t host) {
  State& state = states_[trace_id];
  state.known = true;
  state.session = session;
  state.host = host;
}

void EventTraces::on_event(int64_t trace_id, int64_t order, const TraceEvent& event,
                           uint64_t logged_ns, TracedSink& sink) {
  forget_rested(logged_ns);
  State& state = states_[trace_id];
  if (order < state.next_order) {
    sink.on_unusable(trace_id, fmt::format("the event with order index {} occurs twice", order));
    return;
  }
  if (!state.known || order > state.next_order) {
    if (waiting_ >= limits::kOpenTraceExecutions)
      return sink.on_unusable(trace_id, "too many events wait for others of their traces");
    waiting_ += state.waiting.emplace(order, event).second;
    if (!state.known) return;
  } else {
    take(trace_id, state, event, logged_ns, sink);
  }
  while (!state.waiting.empty() && state.waiting.begin()->first == state.next_order) {
    const TraceEvent next = state.waiting.begin()->second;
    state.waiting.erase(state.waiting.begin());
    --waiting_;
    take(trace_id, state, next, logged_ns, sink);
  }
  if (state.stack.empty() && state.waiting.empty())
    rested_.push_back({trace_id, state.next_order, logged_ns});
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

void EventTraces::settle_call(int64_t trace_id, State& state, const TraceEvent& event,
                              uint64_t logged_ns, TracedSink& sink) {
  if (!state.call_pending) return;
  state.call_pending = false;
  if (event.kind == Kind::kBefore && event.operation == state.call.operation) return;
  state.stack.push_back({state.call.time_ns, state.call.operation, state.next_eoi++});
  close(trace_id, state, event.time_ns, false, logged_ns, sink);
}

void EventTraces::take(int64_t trace_id, State& state, const TraceEvent& event, uint64_t logged_ns,
                       TracedSink& sink) {
  ++state.next_order;
  state.last_ns = std::max(state.last_ns, event.time_ns);
  settle_call(trace_id, state, event, logged_ns, sink);
  switch (event.kind) {
    case Kind::kBefore:
      state.stack.push_back({event.time_ns, event.operation, state.next_eoi++});
      break;
    case Kind::kAfter:
    case Kind::kAfterFailed:
      if (state.stack.empty() || state.stack.back().operation != event.operation) {
        const auto& operation = catalogue_.operations()[event.operation];
        sink.on_unusable(trace_id,
                         fmt::format("{}.{} ends at order index {}, but it is not what "
                                     "ran then",
                                     operation.component, operation.name, state.next_order - 1));
        break;
      }
      close(trace_id, state, event.time_ns, event.kind == Kind::kAfterFailed, logged_ns, sink);
      break;
    case Kind::kCall:
      state.call = event;
      state.call_pending = true;
      break;
    case Kind::kOther:
      break;
  }
}

void EventTraces::close(int64_t trace_id, State& state, uint64_t end_ns, bool failed,
                        uint64_t logged_ns, TracedSink& sink) {
  const Frame frame = state.stack.back();
  state.stack.pop_back();
  traces::TracedExecution out;
  out.trace_id = trace_id;
  out.start_ns = frame.start_ns;
  out.end_ns = std::max(end_ns, frame.start_ns);
  out.operation = frame.operation;
  out.host = state.host;
  out.session = state.session;
  out.eoi = frame.eoi;
  out.ess = int32_t(state.stack.size());
  out.failed = failed;
  sink.on_execution(out, logged_ns);
}

void EventTraces::close_rest(int64_t trace_id, State& state, uint64_t logged_ns, TracedSink& sink) {
  if (!state.known) {
    sink.on_unusable(trace_id, "it has no TraceMetadata");
    return;
  }
  if (!state.waiting.empty()) {
    sink.on_unusable(trace_id,
                     fmt::format("the event with order index {} is missing", state.next_order));
    const auto waiting = std::move(state.waiting);
    for (const auto& [order, event] : waiting) take(trace_id, state, event, logged_ns, sink);
  }
  if (!state.stack.empty())
    sink.on_unusable(trace_id, fmt::format("{} executions do not end", state.stack.size()));
  while (!state.stack.empty()) close(trace_id, state, state.last_ns, true, logged_ns, sink);
}

void EventTraces::finish(uint64_t logged_ns, TracedSink& sink) {
  std::vector<int64_t> ids;
  for (const auto& [id, state] : states_) ids.push_back(id);
  std::sort(ids.begin(), ids.end());
  for (const int64_t id : ids) close_rest(id, states_.at(id), logged_ns, sink);
  states_.clear();
}

}  // namespace compmond::kieker
