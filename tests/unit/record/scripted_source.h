// SPDX-License-Identifier: Apache-2.0
// A source that says what a test puts in.
#pragma once

#include <utility>
#include <vector>

#include "record/event.h"

namespace compmond::record {

class ScriptedSource : public EventSource {
 public:
  void meet(ThreadId thread, const ThreadInfo& info) { fresh_.emplace_back(thread, info); }
  void say(ThreadId thread, std::vector<Event> events) {
    said_.emplace_back(thread, std::move(events));
  }

  size_t drain(EventSink& sink) override {
    size_t count = 0;
    for (const auto& [thread, info] : std::exchange(fresh_, {})) sink.on_thread(thread, info);
    for (const auto& [thread, events] : std::exchange(said_, {})) {
      sink.on_events(thread, events);
      for (const Event& event : events)
        (event.kind == EventKind::kLoss ? ledger_.lost_ring : ledger_.delivered) +=
            event.kind == EventKind::kLoss ? event.arg : 1;
      count += events.size();
    }
    ledger_.hits = ledger_.delivered + ledger_.lost();
    return count;
  }
  Ledger ledger() const override { return ledger_; }
  uint64_t now_ns() const override { return now; }

  uint64_t now = 0;

 private:
  std::vector<std::pair<ThreadId, ThreadInfo>> fresh_;
  std::vector<std::pair<ThreadId, std::vector<Event>>> said_;
  Ledger ledger_;
};

inline Event event_at(uint64_t time_ns, EventKind kind = EventKind::kEntry, uint64_t arg = 0) {
  Event out;
  out.time_ns = time_ns;
  out.kind = kind;
  out.arg = arg;
  return out;
}

}  // namespace compmond::record
