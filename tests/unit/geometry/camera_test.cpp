// SPDX-License-Identifier: Apache-2.0
#include "geometry/camera.h"

#include <doctest/doctest.h>

using namespace compmond::geometry;

TEST_CASE("camera: fitting shows all, in the middle, no larger than asked") {
  const Rect area{0, 50, 800, 450};
  const Camera wide = fitted({0, 0, 1600, 100}, area, 1.5);
  CHECK(wide.zoom == 0.5);
  CHECK(wide.screen(Pt{800, 50}) == Pt{400, 250});
  CHECK(fitted({0, 0, 10, 10}, area, 1.5).zoom == 1.5);
  CHECK(fitted({}, area, 1.5).zoom == 1);
}

TEST_CASE("camera: screen and layout are each other's inverse") {
  const Camera camera{0.25, {100, -40}};
  CHECK(camera.layout(camera.screen(Pt{7, 9})) == Pt{7, 9});
  CHECK(camera.screen(Rect{100, -40, 108, -36}) == Rect{0, 0, 2, 1});
}

TEST_CASE("camera: zooming keeps what is under the pointer and stops at the limits") {
  const Camera camera{1, {100, 100}};
  const Camera closer = zoomed(camera, 2, {30, 40}, 0.1, 3);
  CHECK(closer.zoom == 2);
  CHECK(closer.layout({30, 40}) == camera.layout({30, 40}));
  CHECK(zoomed(camera, 100, {0, 0}, 0.1, 3).zoom == 3);
  CHECK(zoomed(camera, 1e-9, {0, 0}, 0.1, 3).zoom == 0.1);
  // Already closer than the limit: no jump back.
  CHECK(zoomed({5, {}}, 1.1, {0, 0}, 0.1, 3).zoom == 5);
}

TEST_CASE("camera: the way from one to the other begins and ends there") {
  const Camera a{1, {0, 0}}, b{4, {10, 20}};
  CHECK(between(a, b, 0) == a);
  CHECK(between(a, b, 1) == b);
  CHECK(between(a, b, 0.5).zoom == doctest::Approx(2));
}
