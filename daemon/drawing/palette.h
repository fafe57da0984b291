// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "geometry/color.h"

// The window's light colours, on white paper.
namespace compmond::drawing {

inline constexpr geometry::Rgb kPaper{255, 255, 255}, kInk{0x12, 0x16, 0x1c},
    kText{0x2a, 0x31, 0x3b}, kDim{0x5b, 0x65, 0x72}, kFaint{0xb6, 0xbe, 0xc9},
    kLine{0xd5, 0xda, 0xe1}, kPanel{0xf6, 0xf7, 0xf9}, kBar{0xe6, 0xe9, 0xee},
    kBarLine{0xb9, 0xc1, 0xcc}, kHue{0xe5, 0x53, 0x3d}, kFailed{0xdf, 0xa3, 0x2d},
    kFailedText{0x8f, 0x5d, 0x00};

// The colour of a hotness, 0 to 100, as the window's heat has it.
inline geometry::Rgb heat(double hotness) {
  return geometry::mixed(kBar, kHue, geometry::stepped_share(hotness, 255));
}

}  // namespace compmond::drawing
