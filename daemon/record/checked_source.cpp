// SPDX-License-Identifier: Apache-2.0
#include "record/checked_source.h"

#include <algorithm>

#include "record/record.h"

namespace compmond::record {
namespace {

constexpr uint8_t kCallFlags = kTailCall | kEntryOnly | kLimitedExit;
constexpr uint8_t kContextFlags =
    context_flags(ContextKind(3), ContextType(3)) | kContextMore | kContextAbsent;

uint8_t flags_of(EventKind kind) {
  switch (kind) {
    case EventKind::kContext:
      return kContextFlags;
    case EventKind::kEntry:
      return kCallFlags;
    case EventKind::kExit:
      return kCheapExit | kJumpExit;
    default:
      return 0;
  }
}

// An operation, or what belongs to one.
bool names_operation(EventKind kind) {
  return kind != EventKind::kLoss && kind != EventKind::kTransfer;
}

bool comes_from_here(const Event& event) {
  switch (event.kind) {
    case EventKind::kEntry:
    case EventKind::kExit:
    case EventKind::kLoss:
    case EventKind::kContext:
    case EventKind::kStayed:
      return (event.flags & ~flags_of(event.kind)) == 0;
    case EventKind::kTransfer:
      return event.flags < kTransfers;
    default:
      return false;
  }
}

}  // namespace

class CheckedSource::Gate : public EventSink {
 public:
  Gate(CheckedSource& checks, EventSink& sink) : checks_(checks), sink_(sink) {}
  void on_thread(ThreadId thread, const ThreadInfo& info) override {
    checks_.admit(thread, info, sink_);
  }
  void on_events(ThreadId thread, std::span<const Event> events) override {
    checks_.check(thread, events, sink_);
  }

 private:
  CheckedSource& checks_;
  EventSink& sink_;
};

CheckedSource::CheckedSource(EventSource& source, const Rules& rules)
    : source_(source), rules_(rules), now_ns_(rules.clock()) {}

size_t CheckedSource::drain(EventSink& sink) {
  if (now_ns_ == kEnded) return 0;
  const uint64_t began_ns = rules_.clock();
  Gate gate(*this, sink);
  const size_t count = source_.drain(gate);
  const uint64_t said = source_.now_ns();
  const uint64_t earliest = began_ns - std::min(began_ns, kMostLagNs);
  if (said == kEnded)
    now_ns_ = kEnded;
  else
    now_ns_ = std::max(now_ns_, std::clamp(said, earliest, began_ns));
  return count;
}

void CheckedSource::admit(ThreadId id, const ThreadInfo& info, EventSink& sink) {
  if (id >= threads_.size()) threads_.resize(size_t(id) + 1);
  if ((rules_.pid != 0 && info.pid != rules_.pid) || admitted_ >= rules_.threads) return;
  Thread& thread = threads_[id];
  thread = {true, admitted_++, now_ns_, now_ns_};
  ThreadInfo checked = info;
  checked.name.resize(std::min<size_t>(info.name.size(), CM_COMM - 1));
  sink.on_thread(thread.number, checked);
}

void CheckedSource::check(ThreadId id, std::span<const Event> events, EventSink& sink) {
  if (id >= threads_.size() || !threads_[id].admitted) {
    ledger_.hits += events.size();
    ledger_.lost_refused += events.size();
    refusals_.threads += events.size();
    return;
  }
  const uint64_t clock_ns = rules_.clock();
  if (events.empty()) return;
  checked_.resize(std::max(checked_.size(), events.size()));
  for (size_t i = 0; i < events.size(); ++i)
    checked_[i] = checked(threads_[id], events[i], clock_ns);
  sink.on_events(threads_[id].number, std::span(checked_).first(events.size()));
}

bool CheckedSource::passes(const Event& event) {
  if (!comes_from_here(event)) {
    ++refusals_.kinds;
    return false;
  }
  if (names_operation(event.kind) && event.op >= rules_.operations) {
    ++refusals_.operations;
    return false;
  }
  return true;
}

Event CheckedSource::checked(Thread& thread, Event event, uint64_t clock_ns) {
  const bool passed = passes(event);
  const uint64_t time_ns = std::clamp(event.time_ns, std::max(thread.last_ns, now_ns_), clock_ns);
  if (passed) refusals_.clamped_times += time_ns != event.time_ns;
  if (!passed) {
    event = {};
    event.kind = EventKind::kLoss;
    event.arg = 1;
    ++ledger_.lost_refused;
  } else if (event.kind == EventKind::kLoss) {
    const uint64_t most = clock_ns - thread.counted_ns;
    refusals_.clamped_losses += event.arg > most;
    event.arg = std::min(event.arg, most);
    thread.counted_ns += event.arg;
    ledger_.lost_ring += event.arg;
  } else {
    ++ledger_.delivered;
  }
  ledger_.hits = ledger_.delivered + ledger_.lost();
  event.time_ns = thread.last_ns = time_ns;
  return event;
}

}  // namespace compmond::record
