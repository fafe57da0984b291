// SPDX-License-Identifier: Apache-2.0
#include "trace/tracer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "record/last.h"
#include "trace/pairing.h"
#include "trace/thread_state.h"

namespace compmond::trace {
namespace {

using record::Event;
using record::EventKind;

// Thread ids are dense and never reused: pages whose threads have all ended are given back.
constexpr size_t kPageThreads = 256;
struct ThreadPage {
  std::array<std::unique_ptr<ThreadState>, kPageThreads> threads;
  size_t live = 0;
};

}  // namespace

struct Tracer::Impl {
  Impl(const std::vector<int>& component_of, ExecutionSink& sink, bool switches,
       uint32_t open_exits)
      : pairing(component_of, sink, open_exits), switching(switches) {}

  ThreadState& state(ThreadId thread);
  const ThreadState* find(ThreadId thread) const;
  template <typename Do>
  void for_each(const Do& then);  // (ThreadId, ThreadState&)
  void forget(ThreadId thread);

  Pairing pairing;
  bool switching;
  std::vector<std::unique_ptr<ThreadPage>> pages;
};

ThreadState& Tracer::Impl::state(ThreadId thread) {
  const size_t index = thread / kPageThreads;
  if (index >= pages.size()) pages.resize(index + 1);
  if (!pages[index]) pages[index] = std::make_unique<ThreadPage>();
  auto& slot = pages[index]->threads[thread % kPageThreads];
  if (!slot) {
    slot = std::make_unique<ThreadState>(switching);
    ++pages[index]->live;
  }
  return *slot;
}

template <typename Do>
void Tracer::Impl::for_each(const Do& then) {
  for (size_t p = 0; p < pages.size(); ++p) {
    if (!pages[p]) continue;
    for (size_t i = 0; i < kPageThreads; ++i)
      if (ThreadState* t = pages[p]->threads[i].get()) then(ThreadId(p * kPageThreads + i), *t);
  }
}

void Tracer::Impl::forget(ThreadId thread) {
  auto& page = pages[thread / kPageThreads];
  page->threads[thread % kPageThreads].reset();
  if (--page->live == 0) page.reset();
}

const ThreadState* Tracer::Impl::find(ThreadId thread) const {
  const size_t index = thread / kPageThreads;
  if (index >= pages.size() || !pages[index]) return nullptr;
  return pages[index]->threads[thread % kPageThreads].get();
}

Tracer::Tracer(const std::vector<int>& component_of, ExecutionSink& sink, Stacks stacks,
               uint32_t open_exits)
    : impl_(std::make_unique<Impl>(component_of, sink, stacks == Stacks::kSwitching, open_exits)) {}
Tracer::~Tracer() = default;

void Tracer::on_thread(ThreadId, const record::ThreadInfo&) {}

void Tracer::on_events(ThreadId thread, std::span<const Event> events) {
  Impl& impl = *impl_;
  Pairing& pairing = impl.pairing;
  Ledger& ledger = pairing.ledger();
  pairing.begin_events(thread);
  ThreadState* t = &impl.state(thread);
  for (size_t i = 0; i < events.size(); ++i) {
    const Event& event = events[i];
    if (!t) t = &impl.state(thread);
    uint64_t now = event.time_ns;
    if (now < t->last_ns) {
      ++ledger.clamped;
      now = t->last_ns;
    }
    switch (event.kind) {
      case EventKind::kEntry:
      case EventKind::kExit:
        if (event.op >= pairing.operations())
          ++ledger.invalid;
        else if (event.kind == EventKind::kEntry && i + 1 < events.size() &&
                 pairing.leaf(*t, event, events[i + 1], now))
          ++i;
        else if (event.kind == EventKind::kEntry)
          pairing.entry(*t, event, now);
        else
          pairing.exit(*t, event, now);
        break;
      case EventKind::kStayed:
        if (event.op >= pairing.operations())
          ++ledger.invalid;
        else
          pairing.stayed(*t, event, now);
        break;
      case EventKind::kTransfer:
        if (event.flags >= record::kTransfers)
          ++ledger.invalid;
        else
          pairing.transfer(*t, event, now);
        break;
      case EventKind::kExec:
        pairing.close_all(*t, Closed::kExec, now);
        break;
      case EventKind::kThreadExit:
        pairing.close_all(*t, Closed::kThreadExit, now);
        break;
      case EventKind::kLoss:
        ledger.lost_records += event.arg;
        pairing.close_all(*t, Closed::kLossy, now);
        break;
      case EventKind::kGone:
        if (event.op >= pairing.operations())
          ++ledger.invalid;
        else
          pairing.gone(*t, event.op, now);
        break;
      case EventKind::kContext:
        if (!t->contexts) t->contexts = std::make_unique<Contexts>();
        t->contexts->add(event);
        continue;
      case EventKind::kFork:
      case EventKind::kSwitch:
      case EventKind::kInput:
      case EventKind::kUnknown:
        break;
    }
    if (t->contexts) t->contexts->clear();
    if (record::is_last(event)) {
      impl.forget(thread);
      t = nullptr;
    }
  }
  if (t) pairing.tell(*t);
}

void Tracer::close_all(uint64_t now_ns) {
  impl_->for_each([&](ThreadId thread, ThreadState& t) {
    impl_->pairing.begin_events(thread);
    impl_->pairing.close_all(t, Closed::kLossy, std::max(now_ns, t.last_ns));
  });
}

const Ledger& Tracer::ledger() const { return impl_->pairing.ledger(); }

void Tracer::open_executions(std::vector<OpenExecution>& out) const {
  impl_->for_each([&](ThreadId, const ThreadState& t) { t.append_open(out); });
}

std::set<OperationId> Tracer::operations_of(ThreadId thread) const {
  std::set<OperationId> out;
  if (const ThreadState* t = impl_->find(thread)) t->append_operations(out);
  return out;
}

std::vector<ThreadId> Tracer::threads() const {
  std::vector<ThreadId> out;
  impl_->for_each([&](ThreadId thread, const ThreadState&) { out.push_back(thread); });
  return out;
}

uint64_t Tracer::latest_ns(ThreadId thread) const {
  const ThreadState* t = impl_->find(thread);
  return t ? t->last_ns : 0;
}

bool Tracer::switches_stacks(ThreadId thread) const {
  const ThreadState* t = impl_->find(thread);
  return t && t->seen_switching();
}

}  // namespace compmond::trace
