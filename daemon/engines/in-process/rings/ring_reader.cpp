// SPDX-License-Identifier: Apache-2.0
#include "rings/ring_reader.h"

#include <algorithm>
#include <atomic>
#include <utility>

namespace compmond::inprocess {

using record::Event;
using record::EventKind;

namespace {

// Of what others write meanwhile.
template <class T>
T look_at(T& value) {
  return std::atomic_ref<T>(value).load(std::memory_order_acquire);
}
template <class T>
void set(T& value, T to) {
  std::atomic_ref<T>(value).store(to, std::memory_order_release);
}

}  // namespace

RingReader::RingReader(Parts parts) : parts_(std::move(parts)), slots_(parts_.layout.slots()) {
  clock_.add(parts_.look());
  now_ns_ = clock_.last().ns;
}

void RingReader::add_sites(std::span<const SiteEvent> sites) {
  const std::lock_guard lock(mutex_);
  sites_.insert(sites_.end(), sites.begin(), sites.end());
}

ThreadRecords& RingReader::records(size_t slot) const {
  return *reinterpret_cast<ThreadRecords*>(parts_.memory.data() + parts_.layout.slot(slot));
}

// Not where the slot says that it is.
Record* RingReader::ring(size_t slot) const {
  return reinterpret_cast<Record*>(parts_.memory.data() + parts_.layout.ring_of(slot));
}

size_t RingReader::drain(record::EventSink& sink) {
  clock_.add(parts_.look());
  const uint64_t before = ledger_.delivered;
  all_until_ns_ = clock_.last().ns;  // records that are made from here on are later
  ledger_.pending = 0;
  const std::lock_guard lock(mutex_);
  for (size_t i = 0; i < slots_.size(); ++i)
    if (slots_[i].tid != 0 || look_at(records(i).tid) != 0) read(i, sink);
  auto& shared = *reinterpret_cast<Recording*>(parts_.memory.data());
  const uint64_t without = look_at(shared.without);
  const uint64_t more = without - std::min(without, std::exchange(without_, without));
  ledger_.hits += more;
  ledger_.lost_slots += more;
  now_ns_ = std::max(now_ns_, all_until_ns_);
  return ledger_.delivered - before;
}

void RingReader::lose(uint64_t records, uint64_t at_ns) {
  ledger_.lost_ring += records;
  events_.push_back({.time_ns = at_ns, .arg = records, .kind = EventKind::kLoss});
}

// Where the ring was full, what found no room came after all that is in it. Its limit is only
// raised here: until then nothing comes after that.
void RingReader::read(size_t i, record::EventSink& sink) {
  Slot& slot = slots_[i];
  ThreadRecords& from = records(i);
  const uint32_t tid = look_at(from.tid);
  const uint64_t begun = look_at(from.begun), dropped = look_at(from.dropped);
  const uint64_t limit = slot.taken + parts_.layout.ring - kRingReserve;
  if (tid != slot.tid && tid != 0) meet(slot, tid, sink);
  if (slot.broken) return;
  if (begun < slot.taken || begun - slot.taken > parts_.layout.ring) {
    give_up(slot, sink);
    return;
  }
  const uint64_t lost = dropped - std::min(dropped, std::exchange(slot.dropped, dropped));
  ledger_.hits += lost + begun - std::exchange(slot.begun, begun);
  events_.clear();
  if (lost > 0 && begun < limit) lose(lost, now_ns_);  // since the last drain had looked
  take_records(i, begun);
  if (lost > 0 && begun >= limit) lose(lost, clock_.last().ns);
  set(from.limit, slot.taken + parts_.layout.ring - kRingReserve);
  if (!events_.empty()) {
    slot.busy_ns = clock_.last().ns;
    ledger_.delivered += size_t(std::ranges::count_if(
        events_, [](const Event& event) { return event.kind != EventKind::kLoss; }));
    sink.on_events(slot.thread, events_);
  } else if (begun == slot.taken && clock_.last().ns - slot.busy_ns > kIdleNs) {
    give_back(i);
  }
}

// Two write there, or somebody else: how much is lost nobody knows.
void RingReader::give_up(Slot& slot, record::EventSink& sink) {
  slot.broken = true;
  ++broken_;
  ++ledger_.hits;
  events_.clear();
  lose(1, clock_.last().ns);
  sink.on_events(slot.thread, events_);
}

// A record is there once its site is. One that is begun and not made holds up what follows: its
// thread makes it when it gets a CPU, or never, where it ended or left it by a handler's longjmp.
void RingReader::take_records(size_t i, uint64_t begun) {
  Slot& slot = slots_[i];
  Record* const ring = this->ring(i);
  for (; slot.taken < begun; ++slot.taken) {
    Record& record = ring[slot.taken & (parts_.layout.ring - 1)];
    const uint64_t site = look_at(record.site);
    if (site == 0) {
      if (slot.stuck_ns == 0) {
        slot.stuck_ns = clock_.last().ns;
        slot.until_ns = now_ns_;
      }
      if (clock_.last().ns - slot.stuck_ns < kStuckNs) break;
      lose(1, events_.empty() ? now_ns_ : events_.back().time_ns);
      slot.stuck_ns = 0;
      continue;
    }
    slot.stuck_ns = 0;
    const Record copy{look_at(record.ticks), look_at(record.sp), site};
    set(record.site, uint64_t(0));
    events_.push_back(event_of(copy));
  }
  ledger_.pending += begun - slot.taken;
  if (slot.stuck_ns != 0) all_until_ns_ = std::min(all_until_ns_, slot.until_ns);
}

Event RingReader::event_of(const Record& record) const {
  const uint64_t number = record.site - 1;
  Event out{.time_ns = clock_.ns(record.ticks), .sp = record.sp, .kind = EventKind::kUnknown};
  if (number >= sites_.size()) return out;
  const SiteEvent& site = sites_[size_t(number)];
  out.kind = site.exit ? EventKind::kExit : EventKind::kEntry;
  out.op = site.op;
  out.flags = site.flags;
  out.sp += site.depth;
  return out;
}

// One that ended before it was looked at has no name.
void RingReader::meet(Slot& slot, uint32_t tid, record::EventSink& sink) {
  const record::ThreadInfo info =
      parts_.who(tid).value_or(record::ThreadInfo{.tid = tid, .name = {}});
  slot.tid = tid;
  slot.start_ns = info.start_ns;
  slot.thread = met_++;
  slot.busy_ns = clock_.last().ns;
  sink.on_thread(slot.thread, info);
}

// A thread of the same number that began since goes on with it; it is another one.
void RingReader::give_back(size_t i) {
  Slot& slot = slots_[i];
  slot.busy_ns = clock_.last().ns;
  const auto now = parts_.who(slot.tid);
  if (now && now->start_ns == slot.start_ns) return;
  const uint32_t of = std::exchange(slot.tid, 0u);
  if (now) return;  // it is met when it is read next
  uint32_t expected = of;
  std::atomic_ref<uint32_t>(records(i).tid).compare_exchange_strong(expected, 0);
}

}  // namespace compmond::inprocess
