// SPDX-License-Identifier: Apache-2.0
#include "geometry/color.h"

#include <doctest/doctest.h>

#include <cmath>
#include <initializer_list>

using namespace compmond::geometry;

TEST_CASE("colour: six steps of h²/100 · 255/100, the reference values") {
  // c = h² · 0.0255; a step is 42.5.
  CHECK(stepped_share(0, 6) * 255 == 0);
  CHECK(stepped_share(40, 6) * 255 == 0);                         // c = 40.8
  CHECK(stepped_share(41, 6) * 255 == doctest::Approx(42.5));     // c = 42.87
  CHECK(stepped_share(50, 6) * 255 == doctest::Approx(42.5));     // c = 63.75
  CHECK(stepped_share(67, 6) * 255 == doctest::Approx(85));       // c = 114.5
  CHECK(stepped_share(88, 6) * 255 == doctest::Approx(170));      // c = 197.5
  CHECK(stepped_share(99.9, 6) * 255 == doctest::Approx(212.5));  // c = 254.5
  CHECK(stepped_share(100, 6) * 255 == doctest::Approx(255));
}

TEST_CASE("colour: 100 has the full hue whatever the number of steps, and steps never fall") {
  for (int k = 1; k <= 255; ++k) {
    CHECK(stepped_share(100, k) * 255 == doctest::Approx(255));
    for (int h = 1; h <= 100; ++h)
      REQUIRE(stepped_share(h, k) * 255 >= stepped_share(h - 1, k) * 255);
  }
}

TEST_CASE("colour: equals the formula as it is written") {
  for (const int k : {2, 4, 6, 10, 30})
    for (double h = 0.5; h < 100; h += 1) {
      const double c = h * h / 100 * 255 / 100;
      REQUIRE(stepped_share(h, k) * 255 ==
              doctest::Approx(std::floor(c / (255.0 / k)) * 255.0 / k).epsilon(1e-9));
    }
}

TEST_CASE("colour: hotness outside 0 to 100, and none at all, is clamped") {
  CHECK(stepped_share(-5, 6) == 0);
  CHECK(stepped_share(1e9, 6) == 1);
  CHECK(stepped_share(std::nan(""), 6) == 0);
  CHECK(stepped_share(100, 0) == 1);
}

TEST_CASE("colour: contrast of black and white is 21, of a colour with itself 1") {
  CHECK(contrast({0, 0, 0}, {255, 255, 255}) == doctest::Approx(21));
  CHECK(contrast({120, 30, 200}, {120, 30, 200}) == doctest::Approx(1));
}

TEST_CASE("colour: text is readable on every colour there is") {
  for (int r = 0; r < 256; r += 5)
    for (int g = 0; g < 256; g += 5)
      for (int b = 0; b < 256; b += 5) {
        const Rgb fill{uint8_t(r), uint8_t(g), uint8_t(b)};
        REQUIRE(contrast(fill, readable_on(fill)) >= 4.5);
      }
}

TEST_CASE("colour: maps rise in lightness by equal steps") {
  for (const Ramp which : {Ramp::kSpectrum, Ramp::kColourBlindSafe}) {
    double before = oklab(ramp(which, 0)).lightness;
    const double step = (oklab(ramp(which, 1)).lightness - before) / 20;
    CHECK(step > 0.02);
    for (int i = 1; i <= 20; ++i) {
      const double now = oklab(ramp(which, i / 20.0)).lightness;
      CHECK(now - before == doctest::Approx(step).epsilon(0.25));
      before = now;
    }
  }
}

TEST_CASE("colour: the colour-blind safe map says nothing in red against green") {
  for (int i = 0; i <= 20; ++i) {
    // The red-green axis of OKLab; blue and yellow that a screen can show stray a little from zero.
    CHECK(std::abs(oklab(ramp(Ramp::kColourBlindSafe, i / 20.0)).a) < 0.03);
  }
}

TEST_CASE("colour: mixing keeps the ends") {
  CHECK(mixed({1, 2, 3}, {200, 100, 50}, 0) == Rgb{1, 2, 3});
  CHECK(mixed({1, 2, 3}, {200, 100, 50}, 1) == Rgb{200, 100, 50});
  CHECK(mixed({0, 0, 0}, {200, 100, 50}, 0.5) == Rgb{100, 50, 25});
}
