// SPDX-License-Identifier: Apache-2.0
// Which stack of its thread an event is on.
#include <algorithm>

#include "trace/pairing.h"

namespace compmond::trace {

using record::Event;

// Makes the stack to which an entry's sp belongs current.
void Pairing::choose_stack(ThreadState& t, uint64_t sp, uint64_t now) {
  const bool before = t.seen_switching();
  settle_unless_departed(t, now);
  tell(t);
  while (Stack* crowded = t.stack_to_evict()) {
    ledger_.evicted += crowded->size();
    while (!crowded->empty()) close(t, *crowded, {now, Closed::kLossy});
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

// Of a thread that runs fibers, frames of the current stack below sp are taken to be another
// fiber's, which looked like calls of this one: only an exception leaves frames and no stack.
void Pairing::make_way(ThreadState& t, uint64_t sp) {
  const Stack& stack = t.current();
  const bool thrown = departed(stack) && stack.departure.reason == Closed::kFailed;
  if (t.fibers() && !thrown) t.set_aside(sp);
}

void Pairing::orphan(ThreadState& t, const Event& event) {
  ++ledger_.orphan_exits;
  sink_.on_orphan(event.op);
  if (t.was_abandoned(event.sp, event.op)) t.mark_fibers();
}

}  // namespace compmond::trace
