// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "log_format/slice_block.h"

namespace compmond::replay {

// Holds what slices of a log tell until it is its time, and then until it is taken.
class SliceFeed {
 public:
  using Step = recording::SliceBlock::Step;

  void take(recording::SliceBlock block);
  bool done() const { return waiting_.empty(); }
  bool full() const { return waiting_.size() >= kSteps; }  // what waits comes before any other

  // What was known up to a moment, and nothing after what comes later. How many.
  size_t deliver(uint64_t until_ns);
  uint64_t latest_ns() const { return latest_ns_; }  // of all that was delivered
  std::vector<Step> take_delivered() { return std::exchange(delivered_, {}); }

 private:
  static constexpr size_t kSteps = 256;  // that wait at once

  std::deque<Step> waiting_;
  std::vector<Step> delivered_;
  uint64_t latest_ns_ = 0;
};

}  // namespace compmond::replay
