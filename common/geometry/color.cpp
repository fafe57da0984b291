// SPDX-License-Identifier: Apache-2.0
#include "geometry/color.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace compmond::geometry {
namespace {

constexpr double kReadable = 4.5;  // WCAG 2, level AA for text of any size

double linear(uint8_t channel) {
  const double c = channel / 255.0;
  return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

double companded(double linear) {
  const double c = std::clamp(linear, 0.0, 1.0);
  return c <= 0.0031308 ? 12.92 * c : 1.055 * std::pow(c, 1 / 2.4) - 0.055;
}

double luminance(Rgb c) {
  return 0.2126 * linear(c.r) + 0.7152 * linear(c.g) + 0.0722 * linear(c.b);
}

// Linear sRGB; channels outside 0 to 1 are outside the gamut. Matrices of the OKLab definition.
struct Linear {
  double r, g, b;
  bool in_gamut() const {
    const auto inside = [](double c) { return c >= -1e-4 && c <= 1 + 1e-4; };
    return inside(r) && inside(g) && inside(b);
  }
};

Linear from_oklab(Lab lab) {
  const double l = std::pow(lab.lightness + 0.3963377774 * lab.a + 0.2158037573 * lab.b, 3);
  const double m = std::pow(lab.lightness - 0.1055613458 * lab.a - 0.0638541728 * lab.b, 3);
  const double s = std::pow(lab.lightness - 0.0894841775 * lab.a - 1.2914855480 * lab.b, 3);
  return {4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
          -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
          -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
}

// The colour of this lightness and hue with as much of `chroma` as the screen can show.
Rgb from_lch(double lightness, double chroma, double hue_degrees) {
  const double hue = hue_degrees * std::numbers::pi / 180;
  Linear shown{};
  for (double c = chroma;; c *= 0.95) {
    shown = from_oklab({lightness, c * std::cos(hue), c * std::sin(hue)});
    if (shown.in_gamut() || c < 1e-3) break;
  }
  const auto channel = [](double value) { return uint8_t(std::lround(companded(value) * 255)); };
  return {channel(shown.r), channel(shown.g), channel(shown.b)};
}

}  // namespace

double stepped_share(double hotness, int steps) {
  const double h = std::isfinite(hotness) ? std::clamp(hotness, 0.0, 100.0) : 0.0;
  const int k = std::clamp(steps, 1, 255);
  // floor(c / (255/k)) with c = h²/10000 · 255: the 255 cancels, so 100 falls on the last step
  // exactly.
  return std::floor(h * h * k / 10'000) / k;
}

Rgb mixed(Rgb from, Rgb to, double amount) {
  const double t = std::clamp(amount, 0.0, 1.0);
  const auto channel = [&](uint8_t a, uint8_t b) {
    return uint8_t(std::lround(a + (double(b) - a) * t));
  };
  return {channel(from.r, to.r), channel(from.g, to.g), channel(from.b, to.b)};
}

Rgb ramp(Ramp which, double at) {
  const double t = std::clamp(at, 0.0, 1.0);
  // It ends before amber, which says distrust.
  if (which == Ramp::kSpectrum) return from_lch(0.30 + 0.60 * t, 0.17, 300 - 180 * t);
  // One straight line through grey: only the blue-yellow axis and lightness carry the value. It is
  // yellow where it is too bright for amber.
  constexpr double kGrey = 0.9;
  const double axis = t < kGrey ? t / kGrey - 1 : (t - kGrey) / (1 - kGrey);
  return from_lch(0.32 + 0.63 * t, 0.13 * std::abs(axis), axis < 0 ? 262 : 98);
}

Lab oklab(Rgb colour) {
  const double r = linear(colour.r), g = linear(colour.g), b = linear(colour.b);
  const double l = std::cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const double m = std::cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const double s = std::cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
          1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
          0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

double contrast(Rgb one, Rgb other) {
  const double a = luminance(one), b = luminance(other);
  return (std::max(a, b) + 0.05) / (std::min(a, b) + 0.05);
}

Rgb readable_on(Rgb fill, Rgb light, Rgb dark) {
  const Rgb better = contrast(fill, light) >= contrast(fill, dark) ? light : dark;
  if (contrast(fill, better) >= kReadable) return better;
  constexpr Rgb kWhite{255, 255, 255}, kBlack{0, 0, 0};
  return contrast(fill, kWhite) >= contrast(fill, kBlack) ? kWhite : kBlack;
}

}  // namespace compmond::geometry
