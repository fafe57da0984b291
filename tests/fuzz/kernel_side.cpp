// SPDX-License-Identifier: Apache-2.0
#include "kernel_side.h"

namespace compmond::fuzz {

void KernelSide::start(uint32_t slot) {
  cm_slot& s = slots_[slot];
  const uint64_t generation = s.chunk.generation + 1;
  s = cm_slot{};
  s.pid = 7;
  s.tid = next_tid_++;
  s.comm[0] = 't';
  s.chunk.slot = slot;
  s.chunk.generation = generation;
  s.state = CM_LIVE;
}

void KernelSide::record(uint32_t slot, const cm_record& record) {
  cm_slot& s = slots_[slot];
  if (s.state == CM_ENDED) {
    ++hits_without_slot;
    return;
  }
  if (s.state == CM_FREE) start(slot);
  const uint64_t seq = s.next_seq++;
  if (s.chunk.count == CM_CHUNK_RECORDS) {
    if (ring_full) {
      ++s.dropped;
      return;
    }
    ring.push_back(s.chunk);
    s.chunk.count = 0;
    s.chunk.lost = s.dropped;
    s.chunk.first_seq = seq;
  }
  s.chunk.records[s.chunk.count++] = record;
}

void KernelSide::end(uint32_t slot, uint64_t time_ns, bool told) {
  if (!live(slot)) return;
  if (told) record(slot, {time_ns, 0, 0, CM_THREAD_EXIT, 0});
  slots_[slot].state = CM_ENDED;
}

}  // namespace compmond::fuzz
