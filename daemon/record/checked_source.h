// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "base/clock.h"
#include "core/limits.h"
#include "record/event.h"

namespace compmond::record {

// A source that is not trusted, as it reads memory that an observed process may write, behind
// checks: whatever comes out is sane. An event that is refused becomes a loss of one in its place,
// so that its thread's calls are known to be incomplete. Times are moved to where they can be: not
// before what the thread said last nor below the "now" that was promised, not after the clock.
// The process says nothing about processes: entries, exits, their contexts and losses pass, ends of
// threads, exec and forks are for the source that watches over them. One thread.
class CheckedSource : public EventSource {
 public:
  struct Rules {
    uint32_t operations = 0;  // ids below it exist
    uint32_t pid = 0;  // whose memory it is: threads of no other process. 0: `source` vouches
    uint32_t threads = limits::kThreadSlots;
    uint64_t (*clock)() = monotonic_ns;
  };
  // Events refused, by cause, and what else had to be put right.
  struct Refusals {
    uint64_t kinds = 0;       // of a kind, or with flags, that there are not or not from here
    uint64_t operations = 0;  // of an operation that there is not
    uint64_t threads = 0;     // of threads of other processes, or of too many
    uint64_t clamped_times = 0, clamped_losses = 0;
    uint64_t events() const { return kinds + operations + threads; }
  };
  // `source` must outlive this.
  CheckedSource(EventSource& source, const Rules& rules);

  size_t drain(EventSink& sink) override;
  // Its own: what was handed over, what is lost by the source's word, and what was refused.
  Ledger ledger() const override { return ledger_; }
  // The source's, never after the clock, and never more than kMostLagNs before it: a process that
  // stands still holds nobody up.
  uint64_t now_ns() const override { return now_ns_; }
  static constexpr uint64_t kMostLagNs = 1'000'000'000;
  const Refusals& refusals() const { return refusals_; }

 private:
  class Gate;
  struct Thread {
    bool admitted = false;
    ThreadId number = 0;      // without gaps, also when others are refused
    uint64_t last_ns = 0;     // of its latest event
    uint64_t counted_ns = 0;  // of its time, each ns a record: more it cannot have lost
  };
  void admit(ThreadId thread, const ThreadInfo& info, EventSink& sink);
  void check(ThreadId thread, std::span<const Event> events, EventSink& sink);
  bool passes(const Event& event);
  Event checked(Thread& thread, Event event, uint64_t clock_ns);

  EventSource& source_;
  Rules rules_;
  std::vector<Thread> threads_;  // by the source's number
  ThreadId admitted_ = 0;
  std::vector<Event> checked_;  // on their way out: the first of them
  uint64_t now_ns_ = 0;
  Ledger ledger_;
  Refusals refusals_;
};

}  // namespace compmond::record
