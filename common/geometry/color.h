// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// Colours of hotness, without a toolkit. Channels are sRGB, 0 to 255.
namespace compmond::geometry {

struct Rgb {
  uint8_t r = 0, g = 0, b = 0;
  bool operator==(const Rgb&) const = default;
};

// How much of the hue a hotness (0 to 100, clamped) gets, to mix a neutral box colour with it:
// c(h) = h²/100 · 255/100, in k steps floor(c / (255/k)) · 255/k, here as a share of 255. `steps`
// is clamped to 1 to 255.
double stepped_share(double hotness, int steps);

// Channel-wise in sRGB; amount 0: from, 1: to (clamped).
Rgb mixed(Rgb from, Rgb to, double amount);

// Colour maps with evenly rising lightness in OKLab, so that equal steps look equal, also in grey.
// `at` 0 to 1. kSpectrum runs violet, blue-green, yellow-green; kColourBlindSafe from blue over
// grey to yellow, the axis that red-green blindness keeps.
enum class Ramp { kSpectrum, kColourBlindSafe };
Rgb ramp(Ramp which, double at);

// L, a, b of OKLab (Björn Ottosson 2020); L 0 to 1.
struct Lab {
  double lightness = 0, a = 0, b = 0;
};
Lab oklab(Rgb colour);

// Contrast ratio after WCAG 2: 1 to 21.
double contrast(Rgb one, Rgb other);
// Text that is read on `fill` with a contrast of at least 4.5:1: `light` or `dark` where one of
// them does it (the better one), else pure white or black, one of which always does.
Rgb readable_on(Rgb fill, Rgb light = {245, 246, 248}, Rgb dark = {18, 20, 24});

}  // namespace compmond::geometry
