// SPDX-License-Identifier: Apache-2.0
#include "kernel_side.h"

#define CM_RING compmond::fuzz::KernelSide
#define CM_SEND(ring, chunk) (ring)->send(*(chunk))
#include "record/slot_writer.h"

namespace compmond::fuzz {

void KernelSide::start(uint32_t slot) {
  cm_slot& s = slots_[slot];
  s.pid = 7;
  s.tid = next_tid_++;
  s.comm[0] = 't';
  cm_begin(&s, slot);
}

void KernelSide::record(uint32_t slot, const cm_record& record) {
  cm_slot& s = slots_[slot];
  if (s.state == CM_ENDED) {
    ++hits_without_slot;
    return;
  }
  if (s.state == CM_FREE) start(slot);
  cm_append(this, &s, record.time_ns, record.value, record.op, record.kind, record.flags);
}

void KernelSide::end(uint32_t slot, uint64_t time_ns, bool told) {
  if (!live(slot)) return;
  if (told) record(slot, {time_ns, 0, 0, CM_THREAD_EXIT, 0});
  cm_end(&slots_[slot]);
}

}  // namespace compmond::fuzz
