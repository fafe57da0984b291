// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "trampolines/recording_layout.h"

// Memory that patched code writes and compmond reads. Whoever can write the target's memory can
// write this: a reader masks, copies and checks. Addresses in it are the target's.
namespace compmond::inprocess {

struct Record {
  uint64_t ticks = 0;  // of the processor's counter
  uint64_t sp = 0;     // %rsp where it was made
  uint64_t site = 0;   // its number; written last, 0 until then
};

// One thread's records and where they go. A thread claims a free one with one instruction, and
// whatever else a thread writes is its own, so that a signal handler may come anywhere.
struct alignas(RECORDING_THREAD_BYTES) ThreadRecords {
  uint32_t tid = 0;      // 0: free
  uint64_t ring = 0;     // of records, their number a power of two; set before, never changed
  uint64_t begun = 0;    // records so far, of all threads that ever had this one
  uint64_t dropped = 0;  // likewise: there was no room
  alignas(64) uint64_t limit = 0;  // `begun` stays below: set by the reader
};

// What all threads share.
struct Recording {
  uint64_t without = 0;  // records of threads that found no free ThreadRecords
  uint64_t claims =
      0;  // how often one was claimed; a signal handler that jumps away is not counted
};

static_assert(offsetof(ThreadRecords, tid) == RECORDING_TID);
static_assert(offsetof(ThreadRecords, ring) == RECORDING_RING);
static_assert(offsetof(ThreadRecords, begun) == RECORDING_BEGUN);
static_assert(offsetof(ThreadRecords, dropped) == RECORDING_DROPPED);
static_assert(offsetof(ThreadRecords, limit) == RECORDING_LIMIT);
static_assert(offsetof(Recording, without) == 0 && offsetof(Recording, claims) == RECORDING_CLAIMS);
static_assert(offsetof(Record, sp) == RECORD_SP && offsetof(Record, site) == RECORD_SITE);
static_assert(sizeof(Record) == 24 && sizeof(ThreadRecords) == RECORDING_THREAD_BYTES);

// Room that a limit leaves in a ring for records that signal handlers begin between the look at the
// limit and their own.
constexpr uint64_t kRingReserve = 64;

}  // namespace compmond::inprocess
