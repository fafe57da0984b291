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

Execution as_closed(const Frame& frame, Closed reason, uint64_t end_ns, uint64_t unsure_ns = 0) {
  Execution out{frame};
  out.end_ns = end_ns;
  out.nested_ns = end_ns - frame.start_ns - frame.own_ns;
  out.reason = reason;
  out.stays = frame.stays;
  out.unsure_ns = frame.unsure_ns + unsure_ns;
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

void Pairing::close(ThreadState& t, Stack& stack, const End& end) {
  const Frame& frame = stack.top();
  forget(t, frame, end.reason);
  const Execution closed = as_closed(frame, end.reason, end.at_ns, end.unsure_ns);
  if (stack.top_is_told())
    sink_.on_closed(closed);
  else
    sink_.on_whole(closed);
  stack.pop();
  if (stack.empty()) stack.departure = {};
}

// Where probes went or records were lost, what seemed to be abandoned may have returned unseen: a
// return like it later on is no fiber's.
void Pairing::close_all(ThreadState& t, Closed reason, uint64_t now) {
  t.forget_abandoned();
  resolve_jump(t, 0);
  settle(t, now);
  do {
    while (!t.current().empty()) close(t, t.current(), {now, reason});
    t.leave_if_empty();
    if (t.frames > 0 && t.current().empty()) t.select_suspended();
  } while (t.frames > 0);
}

void Pairing::gone(ThreadState& t, OperationId op, uint64_t now) {
  t.forget_abandoned(op);
  if (!t.open_operations.contains(op)) return;
  settle_unless_departed(t, now);
  tell(t);
  for (Stack& stack : t.stacks())
    for (size_t i = stack.size(); i-- > 0;) {
      if (stack.at(i).op != op) continue;
      forget(t, stack.at(i), Closed::kLossy);
      sink_.on_closed(as_closed(stack.at(i), Closed::kLossy, now));
      stack.erase(i);
    }
  t.leave_if_empty();
  if (t.frames > 0 && t.current().empty()) t.select_suspended();
  t.drop_empty();
}

void Pairing::evict_bottom(ThreadState& t, uint64_t now) {
  tell(t);
  ++ledger_.evicted;
  forget(t, t.current().bottom(), Closed::kLossy);
  sink_.on_closed(as_closed(t.current().bottom(), Closed::kLossy, now));
  t.current().pop_bottom();
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
      (next.flags & record::kJumpExit) || is_full(t) || departed(t.current()) ||
      jumped(t.current()) || is_dead(t.current(), entry.sp, (entry.flags & record::kTailCall) == 0))
    return false;
  settle(t, now);
  if (next.time_ns >= t.tell_by_ns) return false;  // it is to be told in parts
  Execution out = begun(t, entry.op, now);
  const bool beyond = (entry.flags & record::kLimitedExit) && t.limited_exits >= open_exits_;
  if (beyond) out.flags |= kTruncated;
  if (!beyond) t.share_exit(entry);
  if (next.flags & record::kCheapExit) out.flags |= kCheapExit;
  out.end_ns = t.last_ns = next.time_ns;
  ++ledger_.entries;
  ++ledger_.closed[int(Closed::kReturned)];
  sink_.on_whole(out);
  return true;
}

// What was left by a jump to another operation goes on only in the entry of that one, at the same
// sp; else, as where its probes are away, it ended at the jump.
void Pairing::resolve_jump(ThreadState& t, uint64_t entry_sp) {
  Stack& stack = t.current();
  if (!jumped(stack) || stack.top().sp == entry_sp) return;
  const Frame latest = stack.top();
  close(t, stack, {latest.jumped_ns, Closed::kReturned});
  finish_jumps(t, stack, latest.sp, latest.jumped_ns);
}

// One at this sp has returned: so have those that jumped there.
void Pairing::finish_jumps(ThreadState& t, Stack& stack, uint64_t sp, uint64_t now) {
  while (jumped(stack) && stack.top().sp == sp) close(t, stack, {now, Closed::kReturned});
}

void Pairing::entry(ThreadState& t, const Event& event, uint64_t now) {
  resolve_jump(t, event.sp);
  if (!t.on_current(event.sp)) choose_stack(t, event.sp, now);
  make_way(t, event.sp);
  const bool goes_on = (event.flags & record::kTailCall) || jumped(t.current());
  bury(t, t.current(), event.sp, !goes_on, now);
  settle(t, now);
  pass_departure(t.current());
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
  if (awaited) t.share_exit(event);
  if (is_full(t) && !t.current().empty()) evict_bottom(t, now);

  Frame& frame = t.current().push();  // filled in place: copied as a whole it would cost more
  frame.sp = event.sp;
  frame.start_ns = now;
  frame.own_ns = 0;
  frame.unsure_ns = 0;
  frame.stays = 0;
  frame.jumped_ns = 0;
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

void Pairing::exit(ThreadState& t, const Event& event, uint64_t now) {
  const bool before = t.seen_switching();
  resolve_jump(t, 0);
  if (!t.on_current(event.sp)) {
    settle_unless_departed(t, now);
    tell(t);
    if (!t.select_for_exit(event.sp, event.op)) {
      orphan(t, event);
      return note_switching(t, before);
    }
  }
  make_way(t, event.sp);
  Stack& stack = t.current();
  bury(t, stack, event.sp, false, now);
  settle(t, now);
  pass_departure(stack);
  size_t i = stack.size();
  while (i > 0 && stack.at(i - 1).sp == event.sp && stack.at(i - 1).op != event.op) --i;
  if (i == 0 || stack.at(i - 1).sp != event.sp) {
    orphan(t, event);
  } else {
    while (stack.size() > i) close(t, stack, {now, Closed::kAbandoned});
    if (event.flags & record::kCheapExit) stack.top().flags |= kCheapExit;
    const bool jumps = (event.flags & record::kJumpExit) != 0;
    if (jumps && !crowded(stack)) {
      stack.top().jumped_ns = now;
      return note_switching(t, before);
    }
    close(t, stack, {now, Closed::kReturned});
    if (!jumps) finish_jumps(t, stack, event.sp, now);
    // One that was there at the departure has returned: it left none of those below.
    if (stack.size() < stack.departure.frames) stack.departure = {};
  }
  t.leave_if_empty();
  note_switching(t, before);
}

// It shows its frame alive, but says nothing of time.
void Pairing::stayed(ThreadState& t, const Event& event, uint64_t now) {
  if (!t.on_current(event.sp)) {
    const bool before = t.seen_switching();
    settle_unless_departed(t, now);
    tell(t);
    const bool found = t.select_for_exit(event.sp, event.op);
    note_switching(t, before);
    if (!found) return;
  }
  Stack& stack = t.current();
  for (size_t i = stack.size(); i > 0 && stack.at(i - 1).sp <= event.sp; --i) {
    Frame& frame = stack.at(i - 1);
    if (frame.sp != event.sp || frame.op != event.op) continue;
    ++frame.stays;
    return;
  }
}

}  // namespace compmond::trace
