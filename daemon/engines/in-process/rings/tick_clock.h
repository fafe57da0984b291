// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

namespace compmond::inprocess {

// The processor's counter as CLOCK_MONOTONIC: a straight line between any two looks at both. The
// kernel does the same between two of its ticks, so that with looks some ms apart this is off by
// some ns. One thread.
class TickClock {
 public:
  struct Look {
    uint64_t ticks = 0, ns = 0;
  };
  // Both at one moment, as near as some tries come.
  static Look now();
  // The counter goes at one pace in all states of the processor, as that says itself. It may drift
  // all the same: most_off_ns() tells.
  static bool steady();

  // In the order of time; at least two before anything is asked. The newest takes the place of one
  // that is less than kLeastNs behind the one before: looks are some 50 ns off, which would be a
  // pace between such.
  void add(Look look);
  static constexpr uint64_t kLeastNs = 1'000'000;
  uint64_t ns(uint64_t ticks) const;
  // The most by which a look was off from what the two before it told, of those that are kept: what
  // times may be off by.
  double most_off_ns() const;
  const Look& last() const { return looks_.back(); }

 private:
  static constexpr size_t kKept = 256;
  struct Line {  // for the counts from `from` up to `to`
    uint64_t from = 0, to = 0;
    Look at;
    double slope = 0;
    uint64_t ns(uint64_t ticks) const;
  };
  static Line line(const Look& a, const Look& b, uint64_t from, uint64_t to);
  Line line_of(uint64_t ticks) const;
  mutable Line line_;  // the one that was asked for last; of no counts: none
  std::deque<Look> looks_;
  std::deque<double> off_;  // of each
};

}  // namespace compmond::inprocess
