// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "record/event.h"
#include "rings/layout.h"
#include "rings/tick_clock.h"

namespace compmond::inprocess {

// What a record's number stands for in a run.
struct SiteEvent {
  record::OperationId op = 0;
  record::EventKind kind = record::EventKind::kEntry;  // or kExit, or kContext: it has a value
  uint8_t flags = 0;                                   // of the event
  uint8_t depth = 0;  // from a record's %rsp to that with which the function was called
};

// The records of one process and its forks, out of memory that these may write as they like: what
// comes out may be any event, for a CheckedSource to look at, but nothing here breaks. Records that
// found no room are losses of their thread, at their place. What a thread that ended has left goes
// back to others. One thread, but for add_sites().
class RingReader final : public record::EventSource {
 public:
  struct Parts {
    std::span<std::byte> memory;  // mapped and shared, of layout.size(); borrowed
    SharedLayout layout;
    // The process' thread of that number; nothing: there is none any more. And, quickly, whether
    // there may be any.
    std::function<std::optional<record::ThreadInfo>(uint32_t tid)> who;
    std::function<bool(uint32_t tid)> any = [](uint32_t) { return true; };
    TickClock::Look (*look)() = TickClock::now;
  };
  explicit RingReader(Parts parts);
  // Of the numbers that follow those there are, the first is 1. Before code that makes them runs.
  void add_sites(std::span<const SiteEvent> sites);  // any thread

  size_t drain(record::EventSink& sink) override;
  bool hurries() const override { return hurries_; }
  record::Ledger ledger() const override { return ledger_; }
  uint64_t now_ns() const override { return now_ns_; }
  const TickClock& clock() const { return clock_; }
  // Threads whose records cannot be what they say: nothing of them is told any more.
  uint64_t broken() const { return broken_; }

  static constexpr uint64_t kStuckNs = 500'000'000;  // a record that is begun and not made
  // Before it is asked whether a thread ended; and where places for others become few.
  static constexpr uint64_t kIdleNs = 200'000'000, kScarceNs = 2'000'000;
  // All places are looked at so often, also where none was claimed.
  static constexpr uint64_t kLookNs = 100'000'000;

 private:
  struct Slot {
    uint64_t begun = 0, taken = 0, dropped = 0;  // records, of all its threads
    uint64_t stuck_ns = 0;       // since when the next record is begun; 0: it is not
    uint64_t until_ns = 0;       // then: all before it was handed over
    uint64_t busy_ns = 0;        // when it last had any,
    uint64_t asked_ns = 0;       // and when it was asked since whether its thread ended
    uint64_t told_ns = 0;        // the time of its newest record
    uint64_t limit = 0;          // before it was given room,
    uint64_t lost_at_limit = 0;  // and what found none since it was looked how much there is; or
    bool at_next = false;        // there and at the next one, as it was full again at once
    uint32_t tid = 0;            // whose it is; 0: nobody's
    record::ThreadId thread = 0;
    uint64_t start_ns = 0;                // of the thread
    std::vector<record::Event> contexts;  // whose entries are to come
    bool broken = false;  // it says what cannot be: nothing of it is believed any more
  };
  ThreadRecords& records(size_t slot) const;
  Record* ring(size_t slot) const;
  void find_used();
  void read(size_t slot, record::EventSink& sink);
  void take_records(size_t slot, uint64_t begun, record::EventSink& sink);
  void hand_over(const Slot& slot, record::EventSink& sink);
  uint64_t last_ns() const { return events_.empty() ? handed_ns_ : events_.back().time_ns; }
  void take(Slot& slot, const record::Event& event);
  record::Event event_of(const Record& record) const;
  bool meet(Slot& slot, uint32_t tid, record::EventSink& sink);
  void give_back(size_t slot, bool gone);
  bool is_due(const Slot& slot) const;
  bool will_not_be_made(Slot& slot);
  void ask_for(size_t slot);
  void give_room(Slot& slot, ThreadRecords& of, uint64_t dropped);
  void lose(Slot& slot, uint64_t records, uint64_t at_ns);
  void give_up(Slot& slot, record::EventSink& sink);

  Parts parts_;
  TickClock clock_;
  std::vector<Slot> slots_;
  std::vector<record::Event> events_;  // of one slot, the next to hand over
  uint64_t handed_ns_ = 0;             // of the last that was
  record::ThreadId met_ = 0;
  uint64_t now_ns_ = 0, all_until_ns_ = 0, without_ = 0, broken_ = 0;
  record::Ledger ledger_;
  bool hurries_ = false;
  std::vector<size_t> used_;  // slots, when all were looked at: then, and with so many claims
  uint64_t looked_ns_ = 0, claims_ = 0;
  uint64_t idle_ns_ = kIdleNs;
  int asked_ = 0, sought_ = 0;  // in this drain: who, and whether any, has a thread's number
  mutable std::mutex mutex_;    // of sites_
  std::vector<SiteEvent> sites_;
};

}  // namespace compmond::inprocess
