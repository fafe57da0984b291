// SPDX-License-Identifier: Apache-2.0
#include "trace/tracer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/limits.h"
#include "trace/thread_state.h"

namespace compmond::trace {
namespace {

using capture::Event;
using capture::EventKind;

constexpr uint32_t kReturnProbes = 64;  // the kernel's limit of nested return probes per thread

// Thread ids are dense and never reused: pages whose threads have all ended are given back.
constexpr size_t kPageThreads = 256;
struct ThreadPage {
  std::array<std::unique_ptr<ThreadState>, kPageThreads> threads;
  size_t live = 0;
};

int components(const std::vector<int>& component_of) {
  int count = 1;
  for (int component : component_of) count = std::max(count, component + 1);
  return count;
}

uint32_t increment(uint32_t n) { return n == UINT32_MAX ? n : n + 1; }

}  // namespace

struct Tracer::Impl {
  Impl(std::vector<int> components_of, ExecutionSink& to, bool switches)
      : component_of(std::move(components_of)), sink(to), switching(switches) {
    counters = component_of.size() + size_t(components(component_of));
  }

  ThreadState& state(ThreadId thread);
  void forget(ThreadId thread);

  void settle(ThreadState& t, uint64_t now);
  void entry(ThreadState& t, const Event& event, uint64_t now);
  void exit(ThreadState& t, const Event& event, uint64_t now);
  void choose_stack(ThreadState& t, uint64_t sp, uint64_t now);
  void bury(ThreadState& t, Stack& stack, uint64_t sp, bool with_equal, uint64_t now);
  OpenExecution describe(ThreadState& t, const Event& event, uint64_t now);
  void close(ThreadState& t, Stack& stack, Closed reason, uint64_t now);
  void close_all(ThreadState& t, Closed reason, uint64_t now);
  void evict_bottom(ThreadState& t, uint64_t now);
  void emit_closed(ThreadState& t, const Frame& frame, Closed reason, uint64_t now);
  void orphan(ThreadState& t, const Event& event);
  void note_switching(const ThreadState& t, bool before) {
    if (!before && t.seen_switching()) ++ledger.stack_switches;
  }
  size_t component_counter(OperationId op) const {
    return component_of.size() + size_t(std::max(component_of[op], 0));
  }

  std::vector<int> component_of;
  ExecutionSink& sink;
  bool switching;
  size_t counters = 0;
  Ledger ledger;
  uint64_t next_trace = 1;
  ThreadId thread_now = 0;  // whose events are being taken
  std::vector<std::unique_ptr<ThreadPage>> pages;
};

ThreadState& Tracer::Impl::state(ThreadId thread) {
  const size_t index = thread / kPageThreads;
  if (index >= pages.size()) pages.resize(index + 1);
  if (!pages[index]) pages[index] = std::make_unique<ThreadPage>();
  auto& slot = pages[index]->threads[thread % kPageThreads];
  if (!slot) {
    slot = std::make_unique<ThreadState>(switching);
    slot->open_of.resize(counters);
    ++pages[index]->live;
  }
  return *slot;
}

void Tracer::Impl::forget(ThreadId thread) {
  auto& page = pages[thread / kPageThreads];
  page->threads[thread % kPageThreads].reset();
  if (--page->live == 0) page.reset();
}

// Credits the time up to now to the frame that runs.
void Tracer::Impl::settle(ThreadState& t, uint64_t now) {
  if (now <= t.last_ns) return;
  if (Stack& stack = t.current(); !stack.empty()) {
    Frame& top = stack.top();
    top.own_ns += now - t.last_ns;
    sink.on_top(top.op, t.last_ns, now);
  }
  t.last_ns = now;
}

void Tracer::Impl::emit_closed(ThreadState& t, const Frame& frame, Closed reason, uint64_t now) {
  --t.frames;
  --ledger.open;
  ++ledger.closed[int(reason)];
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
  execution.thread = thread_now;
  execution.eoi = frame.eoi;
  execution.ess = frame.ess;
  execution.reason = reason;
  execution.flags = frame.flags;
  sink.on_closed(execution);
}

void Tracer::Impl::close(ThreadState& t, Stack& stack, Closed reason, uint64_t now) {
  const Frame frame = stack.top();
  stack.pop();
  emit_closed(t, frame, reason, now);
}

void Tracer::Impl::close_all(ThreadState& t, Closed reason, uint64_t now) {
  do {
    while (!t.current().empty()) close(t, t.current(), reason, now);
    t.leave_if_empty();
    if (t.frames > 0 && t.current().empty()) t.select_suspended();
  } while (t.frames > 0);
}

void Tracer::Impl::evict_bottom(ThreadState& t, uint64_t now) {
  Stack& stack = t.current();
  const Frame frame = stack.bottom();
  stack.pop_bottom();
  ++ledger.evicted;
  emit_closed(t, frame, Closed::kLossy, now);
}

// Closes the frames of a stack that cannot be alive when the thread's sp is `sp`.
void Tracer::Impl::bury(ThreadState& t, Stack& stack, uint64_t sp, bool with_equal, uint64_t now) {
  while (!stack.empty() && (stack.top().sp < sp || (with_equal && stack.top().sp == sp))) {
    t.remember_abandoned(stack.top());
    close(t, stack, Closed::kAbandoned, now);
  }
}

// Makes the stack to which an entry's sp belongs current.
void Tracer::Impl::choose_stack(ThreadState& t, uint64_t sp, uint64_t now) {
  const bool before = t.seen_switching();
  if (Stack* crowded = t.stack_to_evict()) {
    ledger.evicted += crowded->size();
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

OpenExecution Tracer::Impl::describe(ThreadState& t, const Event& event, uint64_t now) {
  if (t.frames == 0) {
    t.trace_id = next_trace++;
    t.next_eoi = 0;
  }
  const Frame* below = t.below();
  OpenExecution out;
  out.start_ns = now;
  out.on_top_since_ns = now;
  out.trace_id = t.trace_id;
  out.op = event.op;
  out.thread = thread_now;
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

void Tracer::Impl::entry(ThreadState& t, const Event& event, uint64_t now) {
  settle(t, now);
  if (!t.on_current(event.sp)) choose_stack(t, event.sp, now);
  bury(t, t.current(), event.sp, (event.flags & capture::kTailCall) == 0, now);
  ++ledger.entries;
  OpenExecution open = describe(t, event, now);
  if (event.flags & capture::kEntryOnly) {
    open.flags |= kEntryOnly;
    sink.on_begin(open);
    ++ledger.closed[int(Closed::kReturned)];
    sink.on_closed({open.start_ns, open.start_ns, 0, open.trace_id, open.op, open.caller,
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
  ++ledger.open;
  sink.on_begin(open);
}

void Tracer::Impl::orphan(ThreadState& t, const Event& event) {
  ++ledger.orphan_exits;
  if (t.was_abandoned(event.sp, event.op)) t.mark_switching();
}

void Tracer::Impl::exit(ThreadState& t, const Event& event, uint64_t now) {
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

Tracer::Tracer(std::vector<int> component_of, ExecutionSink& sink, Stacks stacks)
    : impl_(std::make_unique<Impl>(std::move(component_of), sink, stacks == Stacks::kSwitching)) {}
Tracer::~Tracer() = default;

void Tracer::on_thread(ThreadId, const capture::ThreadInfo&) {}

void Tracer::on_events(ThreadId thread, std::span<const Event> events) {
  Impl& impl = *impl_;
  impl.thread_now = thread;
  ThreadState* t = &impl.state(thread);
  for (const Event& event : events) {
    if (!t) t = &impl.state(thread);
    uint64_t now = event.time_ns;
    if (now < t->last_ns) {
      ++impl.ledger.clamped;
      now = t->last_ns;
    }
    switch (event.kind) {
      case EventKind::kEntry:
      case EventKind::kExit:
        if (event.op >= impl.component_of.size())
          ++impl.ledger.invalid;
        else if (event.kind == EventKind::kEntry)
          impl.entry(*t, event, now);
        else
          impl.exit(*t, event, now);
        break;
      case EventKind::kExec:
        impl.settle(*t, now);
        impl.close_all(*t, Closed::kExec, now);
        break;
      case EventKind::kThreadExit:
        impl.settle(*t, now);
        impl.close_all(*t, Closed::kThreadExit, now);
        impl.forget(thread);
        t = nullptr;
        break;
      case EventKind::kLoss:
        impl.ledger.lost_records += event.arg;
        impl.settle(*t, now);
        impl.close_all(*t, Closed::kLossy, now);
        break;
      case EventKind::kFork:
      case EventKind::kSwitch:
        break;
    }
  }
}

const Ledger& Tracer::ledger() const { return impl_->ledger; }

void Tracer::open_executions(std::vector<OpenExecution>& out) const {
  for (size_t p = 0; p < impl_->pages.size(); ++p) {
    if (!impl_->pages[p]) continue;
    for (size_t i = 0; i < kPageThreads; ++i)
      if (const ThreadState* t = impl_->pages[p]->threads[i].get())
        t->append_open(ThreadId(p * kPageThreads + i), out);
  }
}

bool Tracer::switches_stacks(ThreadId thread) const {
  const size_t page = thread / kPageThreads;
  if (page >= impl_->pages.size() || !impl_->pages[page]) return false;
  const ThreadState* t = impl_->pages[page]->threads[thread % kPageThreads].get();
  return t && t->seen_switching();
}

}  // namespace compmond::trace
