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

constexpr size_t kCalm = 4;           // part of a ring that a calm thread fills between two drains
constexpr int kMostAsked = 16;        // who is there, in one drain: each takes some 50 µs
constexpr int kMostSought = 1024;     // whether anybody is: some 2 µs
constexpr uint64_t kClockNs = 1'000;  // that two looks at the clock differ by, at most
constexpr size_t kAtOnce = 512;       // events handed over, while they are in the cache
constexpr size_t kMostContexts = 64;  // of one thread, whose entries are to come

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
  hurries_ = false;
  const std::lock_guard lock(mutex_);
  asked_ = sought_ = 0;
  auto& shared = *reinterpret_cast<Recording*>(parts_.memory.data());
  if (const uint64_t claims = look_at(shared.claims);
      std::exchange(claims_, claims) != claims || clock_.last().ns - looked_ns_ > kLookNs)
    find_used();
  for (const size_t i : used_)
    if (slots_[i].tid != 0 || look_at(records(i).tid) != 0) read(i, sink);
  const uint64_t without = look_at(shared.without);
  const uint64_t more = without - std::min(without, std::exchange(without_, without));
  ledger_.hits += more;
  ledger_.lost_slots += more;
  now_ns_ = std::max(now_ns_, all_until_ns_);
  return ledger_.delivered - before;
}

// There are a thousand and more, in every process.
void RingReader::find_used() {
  looked_ns_ = clock_.last().ns;
  used_.clear();
  for (size_t i = 0; i < slots_.size(); ++i)
    if (slots_[i].tid != 0 || look_at(records(i).tid) != 0) used_.push_back(i);
  idle_ns_ = used_.size() > slots_.size() / 4 ? kScarceNs : kIdleNs;
}

// With contexts whose entry may be among them.
void RingReader::lose(Slot& slot, uint64_t records, uint64_t at_ns) {
  records += std::exchange(slot.contexts, {}).size();
  ledger_.lost_ring += records;
  events_.push_back({.time_ns = at_ns, .arg = records, .kind = EventKind::kLoss});
}

// Where the ring is full, what found no room came after all that is in it: its limit is raised here
// alone. What found none between the look before and that came where the limit was then.
void RingReader::read(size_t i, record::EventSink& sink) {
  Slot& slot = slots_[i];
  ThreadRecords& from = records(i);
  const uint32_t tid = look_at(from.tid);
  uint64_t dropped = look_at(from.dropped);  // where some are, `begun` was at the limit
  uint64_t begun = look_at(from.begun);
  const uint64_t limit = slot.taken + parts_.layout.ring - kRingReserve;
  if (tid != slot.tid && tid != 0 && !meet(slot, tid, sink)) {  // all that it made is there now
    dropped = look_at(from.dropped);
    begun = look_at(from.begun);
  }
  if (slot.broken) return;
  if (begun < slot.taken || begun - slot.taken > parts_.layout.ring) {
    give_up(slot, sink);
    return;
  }
  const uint64_t lost = dropped - std::min(dropped, std::exchange(slot.dropped, dropped));
  ledger_.hits += lost + begun - std::exchange(slot.begun, begun);
  handed_ns_ = now_ns_;
  const uint64_t taken = slot.taken;
  uint64_t before = begun < limit ? lost : std::min(lost, slot.lost_at_limit);
  if (slot.at_next && before == lost && lost > 1) --before;
  if (before > 0) {
    take_records(i, std::min(begun, slot.limit), sink);
    lose(slot, before, last_ns());
  }
  take_records(i, begun, sink);
  if (lost > before || (lost > 0 && slot.at_next)) lose(slot, lost - before, last_ns());
  slot.limit = limit;
  give_room(slot, from, dropped);
  if (slot.taken != taken) slot.busy_ns = clock_.last().ns;
  hurries_ |= slot.taken - taken > parts_.layout.ring / kCalm;
  if (begun == slot.taken && is_due(slot)) ask_for(i);
  ledger_.pending += begun - slot.taken + slot.contexts.size();
  hand_over(slot, sink);
}

void RingReader::hand_over(const Slot& slot, record::EventSink& sink) {
  if (events_.empty()) return;
  ledger_.delivered += size_t(std::ranges::count_if(
      events_, [](const Event& event) { return event.kind != EventKind::kLoss; }));
  handed_ns_ = events_.back().time_ns;
  sink.on_events(slot.thread, events_);
  events_.clear();
}

// A thread that found none had looked at its limit as it was until here. Nothing is looked at
// before it is another one.
void RingReader::give_room(Slot& slot, ThreadRecords& of, uint64_t dropped) {
  const uint64_t limit = slot.taken + parts_.layout.ring - kRingReserve;
  std::atomic_ref<uint64_t>(of.limit).exchange(limit);
  slot.lost_at_limit = look_at(of.dropped) - dropped;
  slot.at_next = slot.lost_at_limit > 0 && look_at(of.begun) >= limit;
}

// The longer it has done nothing, the more seldom: half as long again as until the last time.
bool RingReader::is_due(const Slot& slot) const {
  const uint64_t now = clock_.last().ns, last = std::max(slot.busy_ns, slot.asked_ns);
  const uint64_t least = slot.contexts.empty() ? idle_ns_ : kStuckNs;
  return now - last > std::max(least, (last - slot.busy_ns) / 2);
}

void RingReader::ask_for(size_t i) {
  if (!slots_[i].contexts.empty()) return lose(slots_[i], 0, clock_.last().ns);  // no entry came
  const bool gone = sought_ < kMostSought && (++sought_, !parts_.any(slots_[i].tid));
  if (gone || asked_ < kMostAsked) give_back(i, gone);
}

// Two write there, or somebody else: how much is lost nobody knows.
void RingReader::give_up(Slot& slot, record::EventSink& sink) {
  slot.broken = true;
  ++broken_;
  ++ledger_.hits;
  lose(slot, 1 + slot.begun - slot.taken, clock_.last().ns);
  hand_over(slot, sink);
}

// Its thread makes it when it gets a CPU, or never, where it ended or left it by a handler's
// longjmp.
bool RingReader::will_not_be_made(Slot& slot) {
  if (slot.stuck_ns == 0) {
    slot.stuck_ns = clock_.last().ns;
    slot.until_ns = now_ns_;
  }
  if (clock_.last().ns - slot.stuck_ns >= kStuckNs) return true;
  if (asked_ >= kMostAsked) return false;
  ++asked_;
  const auto thread = parts_.who(slot.tid);
  return !thread || thread->start_ns != slot.start_ns;
}

// A record is there once its site is. One that is begun and not made holds up what follows.
void RingReader::take_records(size_t i, uint64_t begun, record::EventSink& sink) {
  Slot& slot = slots_[i];
  Record* const ring = this->ring(i);
  for (; slot.taken < begun; ++slot.taken) {
    Record& record = ring[slot.taken & (parts_.layout.ring - 1)];
    uint64_t site = look_at(record.site);
    if (site == 0) {
      if (!will_not_be_made(slot)) break;
      site = look_at(record.site);
    }
    slot.stuck_ns = 0;
    if (site == 0) {
      lose(slot, 1, last_ns());
      continue;
    }
    const Record copy{look_at(record.ticks), look_at(record.sp), site};
    set(record.site, uint64_t(0));
    Event event = event_of(copy);
    // The clock is known better at each look: what lies between is no step back of the thread.
    if (event.time_ns < slot.told_ns && slot.told_ns - event.time_ns < kClockNs)
      event.time_ns = slot.told_ns;
    slot.told_ns = event.time_ns;
    take(slot, event);
    if (slot.contexts.size() > kMostContexts) lose(slot, 0, last_ns());  // by no code of ours
    if (events_.size() >= kAtOnce) hand_over(slot, sink);
  }
  if (slot.stuck_ns != 0) all_until_ns_ = std::min(all_until_ns_, slot.until_ns);
}

Event RingReader::event_of(const Record& record) const {
  const uint64_t number = record.site - 1;
  Event out{.time_ns = clock_.ns(record.ticks), .sp = record.sp, .kind = EventKind::kUnknown};
  if (number >= sites_.size()) return out;
  const SiteEvent& site = sites_[size_t(number)];
  out.kind = site.kind;
  out.op = site.op;
  out.flags = site.flags;
  out.sp += site.depth;
  if (site.kind != EventKind::kContext) return out;
  const bool half = record::context_type(site.flags) == record::ContextType::kInt32;
  out.arg = half ? uint64_t(int64_t(int32_t(record.sp))) : record.sp;
  out.sp = 0;
  return out;
}

// A signal handler's records may come between the values of a call and its entry: these go together
// all the same. Of one call each says something else.
void RingReader::take(Slot& slot, const Event& event) {
  if (event.kind == EventKind::kContext) return slot.contexts.push_back(event);
  if (slot.contexts.empty()) return events_.push_back(event);
  const size_t first = events_.size();
  unsigned kinds = 0;
  for (size_t i = slot.contexts.size(); event.kind == EventKind::kEntry && i-- > 0;) {
    if (slot.contexts[i].op != event.op) continue;
    const unsigned kind = 1u << unsigned(record::context_kind(slot.contexts[i].flags));
    if (kinds & kind) break;
    kinds |= kind;
    events_.push_back(slot.contexts[i]);
    events_.back().time_ns = event.time_ns;
    slot.contexts.erase(slot.contexts.begin() + std::ptrdiff_t(i));
  }
  std::reverse(events_.begin() + std::ptrdiff_t(first), events_.end());
  events_.push_back(event);
}

// False: it ended before it was looked at, and has no name.
bool RingReader::meet(Slot& slot, uint32_t tid, record::EventSink& sink) {
  const auto found = parts_.who(tid);
  const record::ThreadInfo info = found.value_or(record::ThreadInfo{.tid = tid, .name = {}});
  slot.tid = tid;
  slot.start_ns = info.start_ns;
  slot.thread = met_++;
  slot.busy_ns = clock_.last().ns;
  sink.on_thread(slot.thread, info);
  return found.has_value();
}

// A thread of the same number that began since goes on with it; it is another one.
void RingReader::give_back(size_t i, bool gone) {
  Slot& slot = slots_[i];
  slot.asked_ns = clock_.last().ns;
  const auto now = gone ? std::nullopt : (++asked_, parts_.who(slot.tid));
  if (now && now->start_ns == slot.start_ns) return;
  if (const auto& of = records(i);
      look_at(of.begun) != slot.taken || look_at(of.dropped) != slot.dropped)
    return;  // its last ones, since it was read
  const uint32_t of = std::exchange(slot.tid, 0u);
  if (now) return;  // it is met when it is read next
  uint32_t expected = of;
  std::atomic_ref<uint32_t>(records(i).tid).compare_exchange_strong(expected, 0);
}

}  // namespace compmond::inprocess
