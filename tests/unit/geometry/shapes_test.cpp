// SPDX-License-Identifier: Apache-2.0
#include "geometry/shapes.h"

#include <doctest/doctest.h>

#include <cmath>

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

TEST_CASE("shapes: a point along a line, its direction, and the distance to it") {
  const std::vector<Pt> line{{0, 0}, {10, 0}, {10, 30}};
  CHECK(length(line) == 40);
  CHECK(along(line, 0.5).at == Pt{10, 10});
  CHECK(along(line, 0.5).direction == Pt{0, 1});
  CHECK(along(line, 0).at == Pt{0, 0});
  CHECK(along(line, 1).at == Pt{10, 30});
  CHECK(distance(line, {5, 3}) == 3);
  CHECK(std::isinf(distance({}, {5, 3})));
}

TEST_CASE("shapes: a line crosses a rectangle that it passes through without a point inside") {
  CHECK(crosses({{-10, 5}, {50, 5}}, {0, 0, 10, 10}));
  CHECK_FALSE(crosses({{-10, 15}, {50, 15}}, {0, 0, 10, 10}));
  CHECK(crosses({{2, 2}, {3, 3}}, {0, 0, 10, 10}));
  CHECK_FALSE(crosses({{-5, 8}, {2, 15}}, {0, 0, 10, 10}));
}
