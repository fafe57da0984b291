// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

// A time axis: which pixel a moment falls on, and where the ticks stand. Pure; times in ns, lengths
// in pixels (any unit that the caller keeps to).
namespace compmond::geometry {

// Maps [start_ns, end_ns) to [from_px, from_px + length_px). Moments outside map to pixels outside.
struct Axis {
  uint64_t start_ns = 0, end_ns = 0;
  double from_px = 0, length_px = 0;

  double ns_per_px() const;  // 0 where the axis has no length
  double px(uint64_t at_ns) const;
  // Clamped to 0 below; not clamped to the axis.
  uint64_t ns(double at_px) const;
};

// The smallest step that people count in (1, 2, 5 times a power of ten; above 5 s 10, 15, 30 s, 1,
// 2, 5, 10, 15, 30 min, 1, 2, 3, 6, 12 h, 1, 2, 5 … d) whose ticks are at least `min_px` apart; at
// least 1.
uint64_t tick_step(const Axis& axis, double min_px);

// The moments origin_ns + i * step_ns inside [start_ns, end_ns], ascending; i may be negative. At
// most 10,000: a caller with a sensible step never sees the limit.
std::vector<uint64_t> ticks(const Axis& axis, uint64_t step_ns, uint64_t origin_ns);

// The axis after zooming by `factor` (> 1: closer) around `at_px`, kept inside [lo_ns, hi_ns] and
// not shorter than `min_ns`. The moment under `at_px` stays there unless an end is in the way.
Axis zoomed(const Axis& axis, double factor, double at_px, uint64_t lo_ns, uint64_t hi_ns,
            uint64_t min_ns);
// The axis moved by `by_px` (> 0: later moments come into view), of the same length, kept inside.
Axis panned(const Axis& axis, double by_px, uint64_t lo_ns, uint64_t hi_ns);

}  // namespace compmond::geometry
