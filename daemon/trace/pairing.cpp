// SPDX-License-Identifier: Apache-2.0
#include "trace/pairing.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"

namespace compmond::trace {
namespace {

using capture::Event;

constexpr uint32_t kReturnProbes = 64;  // the kernel's limit of nested return probes per thread

size_t components(const std::vector<int>& component_of_) {
  int count = 1;
  for (int component : component_of_) count = std::max(count, component + 1);
  return size_t(count);
}

uint32_t increment(uint32_t n) { return n == UINT32_MAX ? n : n + 1; }

}  // namespace

Pairing::Pairing(std::vector<int> component_of, ExecutionSink& sink)
    : component_of_(std::move(component_of)), components_(components(component_of_)), sink_(sink) {}

// Credits the time up to now to the frame that runs.
void Pairing::settle(ThreadState& t, uint64_t now) {
  if (now <= t.last_ns) return;
  if (Stack& stack = t.current(); !stack.empty()) {
    Frame& top = stack.top();
    top.own_ns += now - t.last_ns;
    sink_.on_top(top.op, t.last_ns, now);
  }
  t.last_ns = now;
}

void Pairing::emit_closed(ThreadState& t, const Frame& frame, Closed reason, uint64_t now) {
  --t.frames;
  --ledger_.open;
  ++ledger_.closed[int(reason)];
  --t.open_of[frame.op];
  --t.open_of[component_counter(frame.op)];
  if (frame.holds_return_probe) --t.return_probes;
  Execution execution;
  execution.start_ns = frame.start_ns;
  execution.end_ns = now;
  execution.nested_ns = now - frame.start_ns - frame.own_ns;
  execution.trace_id = frame.trace_id;
  execution.op = frame.op;
  execution.caller = frame.caller;
  execution.thread = thread_now_;
  execution.eoi = frame.eoi;
  execution.ess = frame.ess;
  execution.reason = reason;
  execution.flags = frame.flags;
  sink_.on_closed(execution);
}

void Pairing::close(ThreadState& t, Stack& stack, Closed reason, uint64_t now) {
  const Frame frame = stack.top();
  stack.pop();
  emit_closed(t, frame, reason, now);
}

void Pairing::close_all(ThreadState& t, Closed reason, uint64_t now) {
  do {
    while (!t.current().empty()) close(t, t.current(), reason, now);
    t.leave_if_empty();
    if (t.frames > 0 && t.current().empty()) t.select_suspended();
  } while (t.frames > 0);
}

void Pairing::evict_bottom(ThreadState& t, uint64_t now) {
  Stack& stack = t.current();
  const Frame frame = stack.bottom();
  stack.pop_bottom();
  ++ledger_.evicted;
  emit_closed(t, frame, Closed::kLossy, now);
}

// Closes the frames of a stack that cannot be alive when the thread's sp is `sp`.
void Pairing::bury(ThreadState& t, Stack& stack, uint64_t sp, bool with_equal, uint64_t now) {
  while (!stack.empty() && (stack.top().sp < sp || (with_equal && stack.top().sp == sp))) {
    t.remember_abandoned(stack.top());
    close(t, stack, Closed::kAbandoned, now);
  }
}

// Makes the stack to which an entry's sp belongs current.
void Pairing::choose_stack(ThreadState& t, uint64_t sp, uint64_t now) {
  const bool before = t.seen_switching();
  if (Stack* crowded = t.stack_to_evict()) {
    ledger_.evicted += crowded->size();
    while (!crowded->empty()) close(t, *crowded, Closed::kLossy, now);
    t.drop_empty();
  }
  t.select_for_entry(sp);
  while (Stack* other = t.overlapped(sp)) {
    const uint64_t high = t.current().empty() ? sp : std::max(sp, t.current().bottom().sp);
    bury(t, *other, high, true, now);
    t.drop_empty();
  }
  note_switching(t, before);
}

OpenExecution Pairing::describe(ThreadState& t, const Event& event, uint64_t now) {
  if (t.frames == 0) {
    t.trace_id = next_trace_++;
    t.next_eoi = 0;
  }
  const Frame* below = t.below();
  OpenExecution out;
  out.start_ns = now;
  out.on_top_since_ns = now;
  out.trace_id = t.trace_id;
  out.op = event.op;
  out.thread = thread_now_;
  out.eoi = t.next_eoi;
  t.next_eoi = increment(t.next_eoi);
  if (below) {
    out.caller = below->op;
    out.ess = uint16_t(std::min<uint32_t>(below->ess + 1u, UINT16_MAX));
  }
  if (t.open_of[event.op] == 0) out.flags |= kOutermostOfOperation;
  if (t.open_of[component_counter(event.op)] == 0) out.flags |= kOutermostOfComponent;
  return out;
}

void Pairing::entry(ThreadState& t, const Event& event, uint64_t now) {
  settle(t, now);
  if (!t.on_current(event.sp)) choose_stack(t, event.sp, now);
  bury(t, t.current(), event.sp, (event.flags & capture::kTailCall) == 0, now);
  ++ledger_.entries;
  OpenExecution open = describe(t, event, now);
  if (event.flags & capture::kEntryOnly) {
    open.flags |= kEntryOnly;
    sink_.on_begin(open);
    ++ledger_.closed[int(Closed::kReturned)];
    sink_.on_closed({open.start_ns, open.start_ns, 0, open.trace_id, open.op, open.caller,
                     open.thread, open.eoi, open.ess, Closed::kReturned, open.flags});
    t.leave_if_empty();
    return;
  }
  const bool return_probe = (event.flags & capture::kReturnProbe) != 0;
  const bool holds = return_probe && t.return_probes < kReturnProbes;
  if (return_probe && !holds) open.flags |= kTruncated;
  open.on_top = true;
  if (t.frames >= limits::kStackFrames && !t.current().empty()) evict_bottom(t, now);

  Frame& frame = t.current().push();
  frame = {event.sp,    now,      0,        open.trace_id, open.op,
           open.caller, open.eoi, open.ess, open.flags,    holds};
  ++t.frames;
  ++t.open_of[open.op];
  ++t.open_of[component_counter(open.op)];
  t.return_probes += holds;
  ++ledger_.open;
  sink_.on_begin(open);
}

void Pairing::orphan(ThreadState& t, const Event& event) {
  ++ledger_.orphan_exits;
  if (t.was_abandoned(event.sp, event.op)) t.mark_switching();
}

void Pairing::exit(ThreadState& t, const Event& event, uint64_t now) {
  settle(t, now);
  const bool before = t.seen_switching();
  if (!t.on_current(event.sp) && !t.select_for_exit(event.sp, event.op)) {
    orphan(t, event);
    return note_switching(t, before);
  }
  Stack& stack = t.current();
  bury(t, stack, event.sp, false, now);
  size_t i = stack.size();
  while (i > 0 && stack.at(i - 1).sp == event.sp && stack.at(i - 1).op != event.op) --i;
  if (i == 0 || stack.at(i - 1).sp != event.sp) {
    orphan(t, event);
  } else {
    while (stack.size() > i) close(t, stack, Closed::kAbandoned, now);
    close(t, stack, Closed::kReturned, now);
  }
  t.leave_if_empty();
  note_switching(t, before);
}

}  // namespace compmond::trace
