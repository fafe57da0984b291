// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "base/window.h"
#include "estimate/tile.h"

namespace compmond::estimate {

// Which part of a wait lies in [start, end); one of no length is where it ends.
inline double part_within(uint64_t from_ns, uint64_t to_ns, uint64_t start_ns, uint64_t end_ns) {
  if (from_ns >= to_ns) return to_ns >= start_ns && to_ns < end_ns ? 1 : 0;
  return double(common({from_ns, to_ns}, {start_ns, end_ns}).length()) / double(to_ns - from_ns);
}

// Tiles of the whole run, one after the other, in at most so many bytes: then two neighbours become
// one, always of the size of which there are most, the oldest two of it. So each size gets about
// the same number, the run's past is the coarser the longer ago it is, and no sum changes.
class Timeline {
 public:
  explicit Timeline(size_t bytes) : most_bytes_(bytes) {}

  void push(Tile tile);  // begins where the last one ends
  // Calls `add(Tile&, part)` for each tile that a part of [from, to] lies in.
  template <class Add>
  void spread(uint64_t from_ns, uint64_t to_ns, Add&& add) {
    for (auto tile = holding(from_ns); tile != tiles_.end() && tile->start_ns <= to_ns; ++tile) {
      const double part = part_within(from_ns, to_ns, tile->start_ns, tile->end_ns);
      if (part <= 0) continue;
      bytes_ -= tile->memory_bytes();
      add(*tile, part);
      bytes_ += tile->memory_bytes();
    }
    shrink();
  }

  const std::deque<Tile>& tiles() const { return tiles_; }
  size_t memory_bytes() const { return bytes_; }

 private:
  std::deque<Tile>::iterator holding(uint64_t time_ns) {  // or the first one behind
    return std::ranges::upper_bound(tiles_, time_ns, {}, &Tile::end_ns);
  }
  void shrink();

  size_t most_bytes_, bytes_ = 0;
  std::deque<Tile> tiles_;
};

}  // namespace compmond::estimate
