// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "base/window.h"
#include "estimate/interval.h"
#include "estimate/sums.h"
#include "estimate/tile.h"

namespace compmond::estimate {

// How much of the CPU time of an interval was at work for probes, whosever.
struct ProbeShare {
  Window interval;
  uint64_t cpu_ns = 0;  // that the processes used, exactly
  Estimate in_probes;   // of it
};

// That of one interval after the other, each of the first tiles that make at least ten seconds and
// as many samples as a share is told by. Tiles in which samples tell no probes, or some of the CPU
// time had none, belong to none. Keeps the newest: an hour of them.
class ProbeShares {
 public:
  void add(const Tile& tile);  // begins where the last one ended, or later
  // The newest of those that begin before the window's end, at most so many, by time. None that
  // ended before the window begins, but where there are not two others.
  std::vector<ProbeShare> newest(Window window, size_t most) const;
  size_t memory_bytes() const { return all_.size() * sizeof(ProbeShare); }

  static constexpr uint64_t kIntervalNs = 10'000'000'000;
  static constexpr uint64_t kSamples = 200;  // of which one and nine tenths are told apart
  static constexpr size_t kMost = 360;

 private:
  void begin(uint64_t at_ns);

  Window open_;
  Totals totals_;
  Sums sums_;
  std::deque<ProbeShare> all_;
};

}  // namespace compmond::estimate
