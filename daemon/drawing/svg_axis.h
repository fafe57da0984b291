// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

#include "base/numbers.h"
#include "drawing/svg.h"

namespace compmond::drawing {

// A step of 1, 2 or 5 times a power of ten, so that `span` has at most `most` of them.
inline uint64_t round_step(uint64_t span, int most) {
  const double least = std::max(1.0, double(span) / most);
  const double power = std::pow(10, std::floor(std::log10(least)));
  const double digit = least / power;
  return uint64_t(power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10));
}

// Vertical lines at round times from 0 to span_ns, their labels above.
inline void draw_time_axis(Svg& svg, double x, double y, double width, double height,
                           uint64_t span_ns) {
  const uint64_t step = round_step(span_ns, 8);
  for (uint64_t at = 0; at <= span_ns; at += step) {
    const double place = x + width * double(at) / double(std::max<uint64_t>(span_ns, 1));
    svg.line(place, y, place, y + height, "#e2e8f0");
    svg.text(place, y - 6, at == 0 ? "0" : duration_text(at), 10, Svg::Anchor::kMiddle, 0,
             "#718096");
  }
}

}  // namespace compmond::drawing
