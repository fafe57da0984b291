// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/limits.h"
#include "record/event.h"
#include "trace/execution.h"
#include "trace/thread_state.h"

namespace compmond::trace {

// The pairing rule of tracer.h applied to the state of one thread at a time. `now` is never before
// the thread's latest time. Keeps the ledger; tells the sink.
class Pairing {
 public:
  // `open_exits`: that many limited exits can be awaited per thread.
  Pairing(const std::vector<int>& component_of, ExecutionSink& sink, uint32_t open_exits);

  // The thread whose events follow.
  void begin_events(ThreadId thread) { thread_now_ = thread; }
  // Credits the time up to now to the frame that runs.
  void settle(ThreadState& t, uint64_t now) {
    if (now <= t.last_ns) return;
    if (now >= t.tell_by_ns) tell_in_time(t, now);
    if (Stack& stack = t.current(); !stack.empty()) {
      Frame& top = stack.top();
      top.own_ns += now - t.last_ns;
      if (stack.top_is_told()) sink_.on_top(top.op, t.last_ns, now);
    }
    t.last_ns = now;
  }
  // The event's operation is one of operations().
  void entry(ThreadState& t, const record::Event& event, uint64_t now);
  void exit(ThreadState& t, const record::Event& event, uint64_t now);
  void stayed(ThreadState& t, const record::Event& event, uint64_t now);  // likewise
  // Its flags are a record::Transfer.
  void transfer(ThreadState& t, const record::Event& event, uint64_t now);
  // An entry and the event after it, where that is its own return and nothing else is to be
  // decided: does what entry() and exit() would, without the stack. False: it did nothing that
  // entry() does not repeat.
  bool leaf(ThreadState& t, const record::Event& entry, const record::Event& next, uint64_t now);
  // What is open of this operation on the thread ends now, its end not seen; all else goes on.
  void gone(ThreadState& t, record::OperationId op, uint64_t now);
  // All that is open on the thread ends now.
  void close_all(ThreadState& t, Closed reason, uint64_t now);
  // Tells the sink what it does not know yet. To be called before anyone else looks.
  void tell(ThreadState& t);

  size_t operations() const { return component_of_.size(); }
  Ledger& ledger() { return ledger_; }

 private:
  struct End {  // of an execution
    uint64_t at_ns = 0;
    Closed reason = Closed::kReturned;
    uint64_t unsure_ns = 0;  // how much earlier it may have been
  };
  static bool departed(const Stack& stack) {
    return stack.departure.state == Departure::State::kFresh;
  }
  static bool jumped(const Stack& stack) { return !stack.empty() && stack.top().jumped_ns > 0; }
  // Of code that jumps on and on and returns seldom, only so many are kept: the next ends at once.
  static bool crowded(const Stack& stack) {
    return stack.size() > kJumpsKept &&
           stack.at(stack.size() - 1 - kJumpsKept).sp == stack.top().sp;
  }
  static constexpr size_t kJumpsKept = 64;
  static bool is_dead(const Stack& stack, uint64_t sp, bool with_equal) {
    return !stack.empty() && (stack.top().sp < sp || (with_equal && stack.top().sp == sp));
  }
  // Time after a departure is credited only when it is known to whom.
  void settle_unless_departed(ThreadState& t, uint64_t now) {
    if (!departed(t.current())) settle(t, now);
  }
  static End end_of_dead(const Stack& stack, uint64_t alive_ns, uint64_t now);
  void choose_stack(ThreadState& t, uint64_t sp, uint64_t now);
  void make_way(ThreadState& t, uint64_t sp);
  void bury(ThreadState& t, Stack& stack, uint64_t sp, bool with_equal, uint64_t now);
  void resolve_jump(ThreadState& t, uint64_t entry_sp);
  void finish_jumps(ThreadState& t, Stack& stack, uint64_t sp, uint64_t now);
  void pass_departure(Stack& stack);
  void tell_in_time(ThreadState& t, uint64_t now);
  void entry_only(ThreadState& t, OperationId op, uint64_t now);
  uint32_t next_eoi(ThreadState& t);
  Execution begun(ThreadState& t, OperationId op, uint64_t now);
  void tell_contexts(ThreadState& t, OperationId op, uint32_t eoi);
  void close(ThreadState& t, Stack& stack, const End& end);
  // Of open executions, its own or all of them.
  bool is_full(const ThreadState& t) const {
    return t.frames >= limits::kStackFrames || ledger_.open >= limits::kOpenExecutions;
  }
  void evict_bottom(ThreadState& t, uint64_t now);
  void forget(ThreadState& t, const Frame& frame, Closed reason);
  void orphan(ThreadState& t, const record::Event& event);
  void note_switching(const ThreadState& t, bool before) {
    if (!before && t.seen_switching()) ++ledger_.stack_switches;
  }
  std::vector<uint32_t> component_of_;
  ExecutionSink& sink_;
  uint32_t open_exits_;
  Ledger ledger_;
  uint64_t next_trace_ = 1;
  ThreadId thread_now_ = 0;
};

}  // namespace compmond::trace
