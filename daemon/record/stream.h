// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "record/event.h"
#include "record/record.h"

namespace compmond::record {

// Puts the numbered streams of all threads together again from the two ways in which records
// arrive: whole chunks from the ring, and the unfinished chunk of each slot, read in place
// (record.h). Every record is handed over once and in order; a gap in the numbers becomes a
// loss event. Needs no kernel: tests write the slots themselves. One thread.
class Stream {
 public:
  // `slots` must stay mapped as long as the stream lives; the stream writes only the `state` of
  // slots whose thread has ended.
  Stream(cm_slot* slots, uint32_t slot_count);

  // A full chunk out of the ring. Chunks of one thread come in order.
  void on_chunk(const cm_chunk& chunk, EventSink& sink);

  // Best called after the ring is empty: delivers unfinished chunks, closes ended threads, and
  // appends to `freed` the slots that may be used again.
  void read_slots(EventSink& sink, std::vector<uint32_t>& freed);

  // `hits_without_slot`: what the kernel counted as lost because no slot was free.
  Ledger ledger(uint64_t hits_without_slot) const;
  uint64_t delivered() const { return delivered_; }
  // No record with a time below it is missing, as of the last read_slots(): `began_ns`, when the
  // ring began to be emptied before that, or the last that came of a thread that has more under
  // way. (What a thread is about to count at that very moment is not known.)
  uint64_t complete_ns(uint64_t began_ns) const { return std::min(began_ns, behind_ns_); }
  // Living threads, as of the last read_slots().
  size_t threads() const { return live_; }

 private:
  struct SlotReader {         // of one slot
    uint64_t generation = 0;  // 0: no thread seen yet
    uint64_t next_seq = 0;    // number of the next record to hand over
    uint64_t seen_lost = 0;
    ThreadId thread = 0;
    uint64_t last_ns = 0;
    bool ended = false;  // a thread exit or exec was handed over
  };

  SlotReader& reader_for(uint32_t slot, uint64_t generation, EventSink& sink);
  void deliver(SlotReader& reader, const cm_chunk& chunk, uint32_t count, EventSink& sink);
  void finish(uint32_t slot, EventSink& sink);
  bool has_more(const SlotReader& reader, const cm_slot& slot) const;

  cm_slot* slots_;
  uint32_t slot_count_;
  std::vector<SlotReader> readers_;
  uint32_t high_ = 0;  // slots at and above were never seen in use
  ThreadId next_thread_ = 0;
  size_t live_ = 0;
  uint64_t behind_ns_ = UINT64_MAX;  // the earliest last_ns of threads with more under way
  uint64_t delivered_ = 0;
  uint64_t ended_hits_ = 0, ended_dropped_ = 0;  // of threads whose slots were given back
};

}  // namespace compmond::record
