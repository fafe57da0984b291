// SPDX-License-Identifier: Apache-2.0
#include "record/stream.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "record/inputs.h"

namespace compmond::record {
namespace {

// A thread of the target writes while we read: every shared word is read once, in order. What that
// thread's order of writing (slot_writer.h) promises then holds of what is seen.
template <class T>
T load(const T& word) {
  return __atomic_load_n(&word, __ATOMIC_ACQUIRE);
}

constexpr uint32_t kLookAhead =
    64;  // slots beyond the highest used one that are looked at for new threads

static_assert(context_flags(ContextKind::kTake, ContextType::kInt32) ==
                  (CM_TAKE | CM_INT32 << CM_CONTEXT_TYPE_SHIFT) &&
              int(ContextType::kString) == CM_STRING && kContextMore == CM_CONTEXT_MORE &&
              kContextAbsent == CM_CONTEXT_ABSENT);

cm_record load(const cm_record& record) {
  return {load(record.time_ns), load(record.value), load(record.op), load(record.kind),
          load(record.flags)};
}

// Reads the chunk that a thread is filling as it stands at one moment, its records only if it has
// one numbered `from` or later; false: it was handed to the ring meanwhile.
bool read_in_place(const cm_chunk& chunk, uint64_t from, cm_chunk& copy) {
  copy.first_seq = load(chunk.first_seq);
  copy.count = std::min<uint32_t>(load(chunk.count), CM_CHUNK_RECORDS);
  copy.lost = load(chunk.lost);
  if (copy.first_seq + copy.count > from)
    for (uint32_t i = 0; i < copy.count; ++i) copy.records[i] = load(chunk.records[i]);
  return load(chunk.count) >= copy.count && load(chunk.first_seq) == copy.first_seq;
}

// By cm_kind.
constexpr std::array kKinds{EventKind::kEntry,      EventKind::kExit,   EventKind::kExec,
                            EventKind::kThreadExit, EventKind::kFork,   EventKind::kContext,
                            EventKind::kTransfer,   EventKind::kStayed, EventKind::kInput};
static_assert(CM_ENTRY == 0 && CM_EXIT == 1 && CM_EXEC == 2 && CM_THREAD_EXIT == 3 &&
              CM_FORK == 4 && CM_CONTEXT == 5 && CM_TRANSFER == 6 && CM_STAYED == 7 &&
              CM_INPUT == 8);
static_assert(kEarlier == CM_EARLIER);
static_assert(kCheapExit == CM_CHEAP_EXIT && kJumpExit == CM_JUMP_EXIT);
static_assert(int(Transfer::kThrow) == CM_THROW && int(Transfer::kCatch) == CM_CATCH &&
              int(Transfer::kJump) == CM_JUMP && int(Transfer::kForce) == CM_FORCE &&
              int(Transfer::kResume) == CM_RESUME && kTransfers == CM_RESUME + 1);

Event decode(const cm_record& record) {
  Event event;
  event.time_ns = record.time_ns;
  event.op = record.op;
  event.flags = uint8_t(record.flags);
  event.kind = record.kind < kKinds.size() && record.flags == event.flags ? kKinds[record.kind]
                                                                          : EventKind::kUnknown;
  const bool has_sp =
      record.kind <= CM_EXIT || record.kind == CM_TRANSFER || record.kind == CM_STAYED;
  (has_sp ? event.sp : event.arg) = record.value;
  return event;
}

Event loss(uint64_t time_ns, uint64_t count) {
  Event event;
  event.kind = EventKind::kLoss;
  event.time_ns = time_ns;
  event.arg = count;
  return event;
}

}  // namespace

Stream::Stream(cm_slot* slots, uint32_t slot_count)
    : slots_(slots), slot_count_(slot_count), readers_(slot_count) {}

Stream::SlotReader& Stream::reader_for(uint32_t slot, uint64_t generation, EventSink& sink) {
  SlotReader& reader = readers_[slot];
  if (reader.generation == generation) return reader;
  reader = SlotReader{};
  reader.generation = generation;
  reader.thread = next_thread_++;
  const cm_slot& from = slots_[slot];
  ThreadInfo info;
  info.pid = from.pid;
  info.tid = from.tid;
  info.start_ns = from.start_ns;
  info.name.assign(from.comm, ::strnlen(from.comm, CM_COMM));
  high_ = std::max(high_, slot + 1);
  sink.on_thread(reader.thread, info);
  return reader;
}

void Stream::deliver(SlotReader& reader, const cm_chunk& chunk, uint32_t count, EventSink& sink) {
  std::array<Event, CM_CHUNK_RECORDS + 1> events;
  size_t n = 0;
  uint32_t skip = 0;
  if (chunk.first_seq > reader.next_seq) {
    events[n++] = loss(count > 0 ? chunk.records[0].time_ns : reader.last_ns,
                       chunk.first_seq - reader.next_seq);
    reader.next_seq = chunk.first_seq;
  } else {
    skip = uint32_t(std::min<uint64_t>(count, reader.next_seq - chunk.first_seq));
  }
  // An old chunk, whose records were already read in place, may come through the ring late.
  reader.seen_lost = std::max<uint64_t>(reader.seen_lost, chunk.lost);
  for (uint32_t i = skip; i < count; ++i) {
    const cm_record& record = chunk.records[i];
    reader.ended = record.kind == CM_THREAD_EXIT || (record.kind == CM_EXEC && record.value == 0);
    events[n++] = decode(record);
  }
  if (n == 0) return;
  reader.next_seq += count - skip;
  reader.last_ns = events[n - 1].time_ns;
  delivered_ += count - skip;
  sink.on_events(reader.thread, std::span<const Event>(events.data(), n));
}

void Stream::on_chunk(const cm_chunk& chunk, EventSink& sink) {
  if (chunk.slot >= slot_count_ || chunk.count > CM_CHUNK_RECORDS)
    return;  // not ours: never written by our programs
  // Of a thread whose slot was given back: all its records were already read in place.
  if (chunk.generation < readers_[chunk.slot].generation) return;
  deliver(reader_for(chunk.slot, chunk.generation, sink), chunk, chunk.count, sink);
}

void Stream::read_slots(EventSink& sink, std::vector<uint32_t>& freed) {
  live_ = 0;
  behind_ns_ = UINT64_MAX;
  for (uint32_t i = 0; i < std::min(slot_count_, high_ + kLookAhead); ++i) {
    cm_slot& slot = slots_[i];
    const uint32_t state = load(slot.state);
    if (state == CM_FREE) continue;
    high_ = std::max(high_, i + 1);
    SlotReader& reader = reader_for(i, load(slot.chunk.generation), sink);

    cm_chunk copy;
    const bool whole = read_in_place(slot.chunk, reader.next_seq, copy);
    const bool news = copy.first_seq + copy.count > reader.next_seq;
    // What stands before this chunk is either lost, as told, or still on its way through the ring:
    // then it is not its turn.
    const bool in_turn = copy.first_seq <= reader.next_seq + (copy.lost - reader.seen_lost);
    if (news && whole && in_turn) deliver(reader, copy, copy.count, sink);

    if (has_more(reader, slot)) behind_ns_ = std::min(behind_ns_, reader.last_ns);
    if (state != CM_ENDED) {
      ++live_;
    } else if (whole && in_turn) {
      finish(i, sink);
      freed.push_back(i);
    }
  }
}

// Whether the thread counted records, before now, that are neither handed over nor known as lost.
bool Stream::has_more(const SlotReader& reader, const cm_slot& slot) const {
  const uint64_t dropped = load(slot.dropped);  // first: hits count before they are dropped
  return load(slot.next_seq) - dropped > reader.next_seq - reader.seen_lost;
}

// The thread is gone and all it left was handed over, but for what was dropped at the very end.
void Stream::finish(uint32_t slot, EventSink& sink) {
  SlotReader& reader = readers_[slot];
  const cm_slot& from = slots_[slot];
  if (from.dropped > reader.seen_lost) {
    const Event event = loss(reader.last_ns, from.dropped - reader.seen_lost);
    sink.on_events(reader.thread, std::span<const Event>(&event, 1));
    reader.ended = false;
  }
  if (!reader.ended) {  // its last record was among the lost ones
    Event event;
    event.kind = EventKind::kThreadExit;
    event.time_ns = reader.last_ns;
    sink.on_events(reader.thread, std::span<const Event>(&event, 1));
  }
  ended_hits_ += from.next_seq;
  ended_dropped_ += from.dropped;
  __atomic_store_n(&slots_[slot].state, uint32_t(CM_FREE), __ATOMIC_RELEASE);
}

Ledger Stream::ledger(uint64_t hits_without_slot) const {
  Ledger ledger;
  ledger.lost_slots = hits_without_slot;
  ledger.lost_ring = ended_dropped_;
  ledger.hits = ended_hits_ + hits_without_slot;
  for (uint32_t i = 0; i < high_; ++i) {
    if (load(slots_[i].state) == CM_FREE) continue;
    ledger.lost_ring += load(slots_[i].dropped);
    ledger.hits += load(slots_[i].next_seq);
  }
  ledger.delivered = delivered_;
  // Signed: more delivered than counted would show as an imbalance instead of wrapping to a large
  // "pending".
  const int64_t rest = int64_t(ledger.hits) - int64_t(ledger.delivered + ledger.lost());
  ledger.pending = rest > 0 ? uint64_t(rest) : 0;
  return ledger;
}

}  // namespace compmond::record
