// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include "base/window.h"

// Single executions that slices of the time have seen. How long they took is told as it was, in a
// program that the slice's probes slowed.
namespace compmond::singles {

// One that began and returned within a slice. Times in ns.
struct Single {
  uint32_t operation = 0;
  uint32_t thread = 0;  // its record::ThreadId
  uint64_t start_ns = 0, duration_ns = 0;
  uint64_t probes_ns = 0;  // of the duration, what its own probes took and those of what it called
  double weight = 1;       // how many executions it tells of
  bool outermost = true;   // no execution of its component was open below it, as far as was seen
};

// How many began in a slice and had not ended at its end; how many ended in it of which it had not
// seen the beginning.
struct Edges {
  uint64_t cut = 0, orphans = 0;
};

// What a slice has seen of single executions.
struct Seen {
  Window slice;
  double slow_down = 1;             // as of counts::Slice
  std::vector<Single> singles;      // per operation at most kPerSlice
  std::map<uint32_t, Edges> edges;  // by operation; those that have any
};

constexpr size_t kPerSlice = 16;

// Of those that a slice sees, what is kept: per operation a random choice, each with its weight.
// One that is nearly as long as the slice is only seen where it began early: it stands for slice /
// (slice - duration) of its kind. A slice sees tens of thousands: what is not kept costs next to
// nothing.
class Choice {
 public:
  explicit Choice(Window slice) : slice_(slice), random_(slice.start_ns) {}

  // One of this operation was seen. Where it is to be put, before the next is seen; null: it is not
  // kept.
  Single* see(uint32_t operation);
  // What was kept, by their starts. Nothing may follow.
  std::vector<Single> end();

 private:
  struct Kept {
    uint64_t seen = 0;
    std::vector<Single> singles;
  };
  Window slice_;
  std::mt19937_64 random_;
  std::vector<Kept> kept_;  // per operation
};

}  // namespace compmond::singles
