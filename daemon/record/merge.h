// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "record/event.h"

namespace compmond::record {

// Several sources as one. A thread that more than one of them tells of, known by (pid, tid, start
// time), is one thread with one stream of events in the order of their times, those of one time in
// the order of the sources; what a source itself says in a row stays in a row, and a context stays
// with its entry. An event goes on when its time is below the "now" of every source, so that none
// can come before it. One that comes later than its source promised goes out at once.
// A source may not know whose events they are, as the thread is gone when it looks (start_ns 0):
// they are of the thread of that number that an earlier source knows, which says when it ended;
// where none does, of one without a name that ended with them, or of nobody (or_nobody).
// With one source nothing waits and nothing is copied. One thread.
class Merge : public EventSource {
 public:
  // `sources`, at least one, must outlive this.
  explicit Merge(std::vector<EventSource*> sources);
  ~Merge() override;

  size_t drain(EventSink& sink) override;
  bool hurries() const override;  // one of them does
  // Of all sources together; what waits here is pending.
  Ledger ledger() const override;
  // The smallest of all sources.
  uint64_t now_ns() const override { return now_ns_; }

 private:
  struct Identity {
    uint32_t pid, tid;
    uint64_t start_ns;
    auto operator<=>(const Identity&) const = default;
  };
  struct Queue;   // what one source said of one thread and was not released
  struct Thread;  // the queues of one thread
  class Intake;   // of one source

  Identity as_known(const Identity& identity) const;
  ThreadId meet(const ThreadInfo& info, EventSink& sink);
  void name_those_gone(EventSink& sink);
  void take(size_t source, ThreadId thread, std::span<const Event> events);
  void queue(size_t source, ThreadId thread, std::span<const Event> events);
  void release(uint64_t until_ns, EventSink& sink);
  void release(ThreadId id, uint64_t until_ns, EventSink& sink);
  void forget(ThreadId id);

  std::vector<EventSource*> sources_;
  std::vector<Intake> intakes_;  // of each source
  std::map<Identity, ThreadId> known_;
  std::map<ThreadId, ThreadInfo> nameless_;       // of this drain
  std::vector<std::unique_ptr<Thread>> threads_;  // none: it ended
  std::vector<ThreadId> waiting_;                 // threads that have something queued
  size_t held_ = 0, held_records_ = 0;            // queued events; of them no losses
  uint64_t now_ns_ = 0;
};

}  // namespace compmond::record
