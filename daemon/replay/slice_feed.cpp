// SPDX-License-Identifier: Apache-2.0
#include "replay/slice_feed.h"

#include <algorithm>

namespace compmond::replay {

void SliceFeed::take(recording::SliceBlock block) {
  for (Step& step : block.steps) waiting_.push_back(std::move(step));
}

size_t SliceFeed::deliver(uint64_t until_ns) {
  size_t n = 0;
  for (; !done() && time_of(waiting_.front()) <= until_ns; ++n) {
    latest_ns_ = std::max(latest_ns_, time_of(waiting_.front()));
    delivered_.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
  return n;
}

}  // namespace compmond::replay
