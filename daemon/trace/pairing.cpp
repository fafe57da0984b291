// SPDX-License-Identifier: Apache-2.0
#include "trace/pairing.h"

#include <algorithm>
#include <utility>

#include "core/limits.h"

namespace compmond::trace {
namespace {

using record::Event;

// Operations that belong to no component count with the first one.
std::vector<uint32_t> as_keys(const std::vector<int>& component_of) {
  std::vector<uint32_t> out;
  for (int component : component_of) out.push_back(uint32_t(std::max(component, 0)));
  return out;
}

uint16_t ess_above(const Frame& below) {
  return uint16_t(std::min<uint32_t>(below.ess + 1u, UINT16_MAX));
}

Execution as_closed(const Frame& frame, Closed reason, uint64_t now) {
  Execution out{frame};
  out.end_ns = now;
  out.nested_ns = now - frame.start_ns - frame.own_ns;
  out.reason = reason;
  return out;
}

}  // namespace

Pairing::Pairing(const std::vector<int>& component_of, ExecutionSink& sink, uint32_t open_exits)
    : component_of_(as_keys(component_of)), sink_(sink), open_exits_(open_exits) {}

// What is on the current stack and not told is of the part of the clock that ends at tell_by_ns;
// other stacks are told.
void Pairing::tell_in_time(ThreadState& t, uint64_t now) {
  tell(t);
  t.tell_by_ns = now - now % kToldTogetherNs + kToldTogetherNs;
}

void Pairing::tell(ThreadState& t) {
  Stack& stack = t.current();
  for (size_t i = stack.first_untold(); i < stack.size(); ++i) {
    const Frame& frame = stack.at(i);
    sink_.on_begin(frame);
    if (frame.own_ns > 0) sink_.on_top(frame.op, t.last_ns - frame.own_ns, t.last_ns);
  }
  stack.mark_told();
}

// Takes a frame that is about to go out of all counts.
void Pairing::forget(ThreadState& t, const Frame& frame, Closed reason) {
  --t.frames;
  --ledger_.open;
  ++ledger_.closed[int(reason)];
  t.open_operations.close(frame.op);
  t.open_components.close(component_of_[frame.op]);
  t.limited_exits -= frame.awaits_limited_exit;
}

void Pairing::close(ThreadState& t, Stack& stack, Closed reason, uint64_t now) {
  const Frame& frame = stack.top();
  forget(t, frame, reason);
  if (stack.top_is_told())
    sink_.on_closed(as_closed(frame, reason, now));
  else
    sink_.on_whole(as_closed(frame, reason, now));
  stack.pop();
}

void Pairing::close_all(ThreadState& t, Closed reason, uint64_t now) {
  do {
    while (!t.current().empty()) close(t, t.current(), reason, now);
    t.leave_if_empty();
    if (t.frames > 0 && t.current().empty()) t.select_suspended();
  } while (t.frames > 0);
}

void Pairing::evict_bottom(ThreadState& t, uint64_t now) {
  tell(t);
  ++ledger_.evicted;
  forget(t, t.current().bottom(), Closed::kLossy);
  sink_.on_closed(as_closed(t.current().bottom(), Closed::kLossy, now));
  t.current().pop_bottom();
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
  tell(t);
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

uint32_t Pairing::next_eoi(ThreadState& t) {
  if (t.frames == 0) {
    t.trace_id = next_trace_++;
    t.next_eoi = 0;
  }
  const uint32_t eoi = t.next_eoi;
  t.next_eoi += eoi < UINT32_MAX;
  return eoi;
}

void Pairing::tell_contexts(ThreadState& t, OperationId op, uint32_t eoi) {
  for (const Context& context : t.contexts->take(op)) {
    if (context.absent)
      ++ledger_.absent_contexts;
    else
      sink_.on_context(t.trace_id, eoi, context);
  }
}

// One that never goes on the stack.
Execution Pairing::begun(ThreadState& t, OperationId op, uint64_t now) {
  Execution out;
  out.start_ns = out.end_ns = now;
  out.eoi = next_eoi(t);
  if (t.contexts) tell_contexts(t, op, out.eoi);
  out.trace_id = t.trace_id;
  out.op = op;
  out.thread = thread_now_;
  if (const Frame* below = t.below()) {
    out.caller = below->op;
    out.ess = ess_above(*below);
  }
  if (!t.open_operations.contains(op)) out.flags |= kOutermostOfOperation;
  if (!t.open_components.contains(component_of_[op])) out.flags |= kOutermostOfComponent;
  return out;
}

void Pairing::entry_only(ThreadState& t, OperationId op, uint64_t now) {
  Execution out = begun(t, op, now);
  out.flags |= kEntryOnly;
  ++ledger_.closed[int(Closed::kReturned)];
  sink_.on_whole(out);
  t.leave_if_empty();
}

bool Pairing::leaf(ThreadState& t, const Event& entry, const Event& next, uint64_t now) {
  if (next.kind != record::EventKind::kExit || next.sp != entry.sp || next.op != entry.op ||
      next.time_ns < now || (entry.flags & record::kEntryOnly) || !t.on_current(entry.sp) ||
      t.frames >= limits::kStackFrames)
    return false;
  settle(t, now);
  if (next.time_ns >= t.tell_by_ns) return false;  // it is to be told in parts
  bury(t, t.current(), entry.sp, (entry.flags & record::kTailCall) == 0, now);
  Execution out = begun(t, entry.op, now);
  if ((entry.flags & record::kLimitedExit) && t.limited_exits >= open_exits_)
    out.flags |= kTruncated;
  out.end_ns = t.last_ns = next.time_ns;
  ++ledger_.entries;
  ++ledger_.closed[int(Closed::kReturned)];
  sink_.on_whole(out);
  return true;
}

void Pairing::entry(ThreadState& t, const Event& event, uint64_t now) {
  settle(t, now);
  if (!t.on_current(event.sp)) choose_stack(t, event.sp, now);
  bury(t, t.current(), event.sp, (event.flags & record::kTailCall) == 0, now);
  ++ledger_.entries;
  if (event.flags & record::kEntryOnly) return entry_only(t, event.op, now);
  const uint32_t eoi = next_eoi(t);
  if (t.contexts) tell_contexts(t, event.op, eoi);
  const Frame* below = t.below();
  const OperationId caller = below ? below->op : kNoOperation;
  const uint16_t ess = below ? ess_above(*below) : 0;
  uint16_t flags = 0;
  if (t.open_operations.open(event.op)) flags |= kOutermostOfOperation;
  if (t.open_components.open(component_of_[event.op])) flags |= kOutermostOfComponent;
  const bool limited = (event.flags & record::kLimitedExit) != 0;
  const bool awaited = limited && t.limited_exits < open_exits_;
  if (limited && !awaited) flags |= kTruncated;
  if (t.frames >= limits::kStackFrames && !t.current().empty()) evict_bottom(t, now);

  Frame& frame = t.current().push();  // filled in place: copied as a whole it would cost more
  frame.sp = event.sp;
  frame.start_ns = now;
  frame.own_ns = 0;
  frame.trace_id = t.trace_id;
  frame.thread = thread_now_;
  frame.op = event.op;
  frame.caller = caller;
  frame.eoi = eoi;
  frame.ess = ess;
  frame.flags = flags;
  frame.awaits_limited_exit = awaited;
  ++t.frames;
  t.limited_exits += awaited;
  ++ledger_.open;
}

void Pairing::orphan(ThreadState& t, const Event& event) {
  ++ledger_.orphan_exits;
  if (t.was_abandoned(event.sp, event.op)) t.mark_switching();
}

void Pairing::exit(ThreadState& t, const Event& event, uint64_t now) {
  settle(t, now);
  const bool before = t.seen_switching();
  if (!t.on_current(event.sp)) {
    tell(t);
    if (!t.select_for_exit(event.sp, event.op)) {
      orphan(t, event);
      return note_switching(t, before);
    }
  }
  Stack& stack = t.current();
  bury(t, stack, event.sp, false, now);
  if (!stack.empty() && stack.top().op == event.op && stack.top().sp == event.sp) {
    close(t, stack, Closed::kReturned, now);
    t.leave_if_empty();
    return note_switching(t, before);
  }
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
