// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/window.h"
#include "estimate/tile.h"
#include "estimate/timeline.h"
#include "sampling/sample.h"

namespace compmond::estimate {

// Waiting while nobody looked at it: where threads switch often, a sampler does so for a tenth of a
// second now and then. Of the time between, the stretches before and after it are typical: the mean
// of their rates, key by key. With r and s these rates, L the mean of their lengths and G the time
// between, its variance is (r - s)² / 2 · G (G + L): that of a systematic sample by successive
// differences (Wolter, Introduction to Variance Estimation, 8.2), as L of each L + G is looked at.
// Until the stretch after it is there, the one before stands for it, and it changes as it did last.
//
// Not for several threads at once.
class UnseenWaits {
 public:
  explicit UnseenWaits(size_t bytes) : told_(bytes) {}

  // In order of time; `seen`: of its time, sums of waiting alone.
  void on_stretch(const sampling::Stretch& stretch, Tile seen);

  // Calls `add(const Tile&, part)` with all that a part of it lies in the window.
  template <class Add>
  void each_in(Window window, Add&& add) const {
    const auto add_part = [&](const Tile& tile) {
      const double part = part_within(tile.start_ns, tile.end_ns, window.start_ns, window.end_ns);
      if (part > 0) add(tile, part);
    };
    for (const Tile& tile : told_.tiles()) add_part(tile);
    if (const auto open = this->open()) add_part(*open);
  }
  size_t memory_bytes() const;

 private:
  std::optional<Tile> open() const;

  Timeline told_;
  std::optional<Tile> before_;   // the newest stretch in which it was looked at
  uint64_t until_ns_ = 0;        // since then it was not
  std::optional<Tile> changes_;  // variances of the newest that was told
  double changes_scale_ = 1;     // in which they have this part
};

}  // namespace compmond::estimate
