// SPDX-License-Identifier: Apache-2.0
// How frames end that are left without a return.
#include <algorithm>

#include "trace/pairing.h"

namespace compmond::trace {
namespace {

using record::Event;

using record::Transfer;

// Why the unwinder leaves frames. An exception that a destructor throws during a forced unwinding
// is caught before that one goes on.
Closed reason_of(const Unwinding& unwinding) {
  return unwinding.forced && !unwinding.thrown ? Closed::kJumped : Closed::kFailed;
}

}  // namespace

// An event shows of each frame on its stack whether it is alive, as far as it can be known.
void Pairing::pass_departure(Stack& stack) {
  if (departed(stack)) stack.departure.state = Departure::State::kPassed;
}

// Of the top frame of a stack, which is found dead now and was last shown alive at `alive_ns`.
Pairing::End Pairing::end_of_dead(const Stack& stack, uint64_t alive_ns, uint64_t now) {
  const Departure& left = stack.departure;
  const bool was_there = stack.size() <= left.frames;
  if (left.state == Departure::State::kFresh) return {left.at_ns, left.reason};
  if (left.state == Departure::State::kPassed && was_there)
    return {now, left.reason, now - left.at_ns};
  return {now, Closed::kAbandoned, now - std::min(now, alive_ns)};
}

// Closes the frames of a stack that cannot be alive when the thread's sp is `sp`.
void Pairing::bury(ThreadState& t, Stack& stack, uint64_t sp, bool with_equal, uint64_t now) {
  if (!is_dead(stack, sp, with_equal)) return;
  const bool runs = &stack == &t.current();
  const uint64_t alive_ns = runs ? t.last_ns : stack.left_ns;
  if (runs) settle_unless_departed(t, now);
  uint64_t unsure_ns = 0;
  do {
    const End end = end_of_dead(stack, alive_ns, now);
    unsure_ns = std::max(unsure_ns, end.unsure_ns);
    t.remember_abandoned(stack.top());
    close(t, stack, end);
  } while (is_dead(stack, sp, with_equal));
  stack.departure.frames = std::min(stack.departure.frames, stack.size());
  if (!stack.empty()) stack.top().unsure_ns += unsure_ns;
}

void Pairing::transfer(ThreadState& t, const Event& event, uint64_t now) {
  const auto transfer = Transfer(event.flags);
  if (transfer == Transfer::kThrow) t.unwinding.thrown = true;
  if (transfer == Transfer::kForce) t.unwinding = {.forced = true};
  const Closed reason = transfer == Transfer::kJump ? Closed::kJumped : reason_of(t.unwinding);
  const bool landed = transfer == Transfer::kCatch;
  if (landed) t.unwinding.thrown = false;
  ++ledger_.transfers[event.flags];
  const bool before = t.seen_switching();
  resolve_jump(t, 0);
  if (t.frames > 0 && !t.on_current(event.sp)) {
    settle_unless_departed(t, now);
    tell(t);
    if (!t.select_for_transfer(event.sp)) return;
  }
  make_way(t, event.sp);
  Stack& stack = t.current();
  // Where no departure was seen, that they ended is known at this moment.
  if (landed && stack.departure.state == Departure::State::kNone) {
    settle(t, now);
    stack.departure = {Departure::State::kFresh, reason, now, stack.size()};
  }
  // The unwinder is called, never jumped to: at the same sp its return address is in the place of
  // that of a frame which it has left, as where a landing pad of the caller resumes.
  bury(t, stack, event.sp, transfer != Transfer::kJump, now);
  settle(t, now);
  if (landed || stack.empty())
    stack.departure = {};
  else
    stack.departure = {Departure::State::kFresh, reason, now, stack.size()};
  t.leave_if_empty();
  note_switching(t, before);
}

}  // namespace compmond::trace
