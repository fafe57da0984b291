// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "geometry/palette.h"

// The window's light colours, on white paper.
namespace compmond::drawing {

using geometry::light::kBar, geometry::light::kBarLine, geometry::light::kDim,
    geometry::light::kFaint, geometry::light::kHue, geometry::light::kLine, geometry::light::kText;
inline constexpr geometry::Rgb kPaper{255, 255, 255},
    kInk = geometry::light::kStrong, kPanel{0xf6, 0xf7, 0xf9}, kFailed{0xdf, 0xa3, 0x2d},
    kFailedText = geometry::light::kAmber;

// The colour of a hotness, 0 to 100, as the window's heat has it.
inline geometry::Rgb heat(double hotness) {
  return geometry::mixed(kBar, kHue, geometry::stepped_share(hotness, 255));
}

}  // namespace compmond::drawing
