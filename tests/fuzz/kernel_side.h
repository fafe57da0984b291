// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "record/record.h"

namespace compmond::fuzz {

// Threads of a target, their slots, and the ring that full chunks go to.
class KernelSide {
 public:
  explicit KernelSide(uint32_t slot_count) : slots_(slot_count) {}

  cm_slot* slots() { return slots_.data(); }
  uint32_t slot_count() const { return uint32_t(slots_.size()); }
  // A hit of the thread that owns `slot`. A free slot gets a new thread; one whose thread has ended
  // and was not drained yet has no place for it.
  void record(uint32_t slot, const cm_record& record);
  // The thread ends; `told`: with a last record.
  void end(uint32_t slot, uint64_t time_ns, bool told);
  int send(const cm_chunk& chunk) {  // not 0: the ring is full
    if (!ring_full) ring.push_back(chunk);
    return ring_full;
  }
  bool live(uint32_t slot) const { return slots_[slot].state == CM_LIVE; }

  std::deque<cm_chunk> ring;
  bool ring_full = false;
  uint64_t hits_without_slot = 0;

 private:
  void start(uint32_t slot);

  std::vector<cm_slot> slots_;
  uint32_t next_tid_ = 1;
};

}  // namespace compmond::fuzz
