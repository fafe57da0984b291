// SPDX-License-Identifier: Apache-2.0
#include "geometry/shapes.h"

#include <doctest/doctest.h>

using namespace compmond::geometry;

TEST_CASE("shapes: an arrow's head has its tip at the line's end and looks along it") {
  const ArrowHead right = arrow_head({{10, 5}, {1, 0}}, 6, 3);
  CHECK(right[0] == Pt{10, 5});
  CHECK(right[1] == Pt{4, 8});
  CHECK(right[2] == Pt{4, 2});
  const ArrowHead down = arrow_head({{0, 0}, {0, 1}}, 5, 2);
  CHECK(down[1].y == -5);
  CHECK(down[2].y == -5);
  CHECK(down[1].x == -down[2].x);
}
