// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "trampolines/recording.h"

namespace compmond::inprocess {

// Where everything is in the memory that a process shares with us: what all threads share, then the
// threads' records, then their rings, each at a multiple of a page. Offsets and sizes in bytes.
struct SharedLayout {
  static constexpr size_t kPage = 4096;
  size_t threads = 1024;  // a power of two: places that a thread's number leads to
  size_t ring = 32768;    // records of each, a power of two

  // For a process that has so many threads by now: of many, each has a smaller ring in as much
  // memory.
  static SharedLayout of(size_t threads_now);

  size_t slots() const { return threads + RECORDING_PROBES - 1; }
  size_t slot(size_t i) const { return kPage + i * sizeof(ThreadRecords); }
  size_t ring_of(size_t i) const { return paged(slot(slots())) + i * ring_bytes(); }
  size_t ring_bytes() const { return paged(ring * sizeof(Record)); }
  size_t size() const { return ring_of(slots()); }

 private:
  static size_t paged(size_t size) { return (size + kPage - 1) / kPage * kPage; }
};

inline SharedLayout SharedLayout::of(size_t threads_now) {
  constexpr size_t kFew = 256;
  if (threads_now <= kFew) return {};
  return {.threads = 8192, .ring = 4096};
}

}  // namespace compmond::inprocess
