// SPDX-License-Identifier: Apache-2.0
#include "estimate/timeline.h"

#include <array>
#include <utility>

namespace compmond::estimate {

void Timeline::push(Tile tile) {
  bytes_ += tile.memory_bytes();
  tiles_.push_back(std::move(tile));
  shrink();
}

void Timeline::shrink() {
  while (bytes_ > most_bytes_ && tiles_.size() > 1) {
    // Sizes do not grow with time, but where the last two of all had to be merged.
    std::array<size_t, 64> count{}, oldest{};
    for (size_t i = tiles_.size() - 1; i-- > 0;) {
      if (tiles_[i].merged != tiles_[i + 1].merged) continue;
      const auto size = size_t(std::min(tiles_[i].merged, 63));
      ++count[size];
      oldest[size] = i;
    }
    const size_t most = size_t(std::ranges::max_element(count) - count.begin());
    const size_t at = count[most] ? oldest[most] : 0;
    Tile &into = tiles_[at], &next = tiles_[at + 1];
    bytes_ -= into.memory_bytes() + next.memory_bytes();
    into.extend(next);
    bytes_ += into.memory_bytes();
    tiles_.erase(tiles_.begin() + ptrdiff_t(at) + 1);
  }
}

}  // namespace compmond::estimate
