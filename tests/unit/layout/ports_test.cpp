// SPDX-License-Identifier: Apache-2.0
#include "layout/ports.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cmath>

#include "layout/route.h"

using namespace compmond;
using namespace compmond::layout;
using namespace compmond::geometry;

namespace {

const Rect kBox{100, 200, 272, 278};

Pt middle_of(Interface side) { return side == Interface::kIn ? in_port(kBox) : out_port(kBox); }

bool near(double one, double other) { return std::abs(one - other) < 1e-9; }

}  // namespace

TEST_CASE("ports: what has no interface on a side has no port there") {
  CHECK(ports_on(kBox, Interface::kIn, 0, {}).places.empty());
}

TEST_CASE("ports: a single one stands where lines end, half of it in the box") {
  const Ports left = ports_on(kBox, Interface::kIn, 1, {}),
              right = ports_on(kBox, Interface::kOut, 1, {});
  REQUIRE(left.places.size() == 1);
  REQUIRE(right.places.size() == 1);
  CHECK(left.places[0] == Rect{96, 233.5, 104, 244.5});
  CHECK(right.places[0] == Rect{268, 233.5, 276, 244.5});
  CHECK_FALSE(left.folded);
}

TEST_CASE("ports: they stand at equal distances, symmetric about the middle, clear of corners") {
  for (const Interface side : {Interface::kIn, Interface::kOut})
    for (size_t count = 2; count <= 8; ++count) {
      CAPTURE(count);
      const PortStyle style;
      const Ports ports = ports_on(kBox, side, count, style);
      REQUIRE(ports.places.size() == count);
      CHECK_FALSE(ports.folded);
      const Pt middle = middle_of(side);
      const double apart = ports.places[1].centre().y - ports.places[0].centre().y;
      CHECK(apart >= style.least_apart);
      for (size_t i = 0; i < count; ++i) {
        const Rect &one = ports.places[i], &mirrored = ports.places[count - 1 - i];
        CHECK(near(one.centre().x, middle.x));
        CHECK(near(one.centre().y + mirrored.centre().y, 2 * middle.y));
        if (i > 0) CHECK(near(one.centre().y - ports.places[i - 1].centre().y, apart));
        if (i > 0) CHECK(one.y0 > ports.places[i - 1].y1);
      }
      CHECK(ports.places.front().y0 >= kBox.y0 + style.corner);
      CHECK(ports.places.back().y1 <= kBox.y1 - style.corner);
    }
}

TEST_CASE("ports: too many for the height are one taller port that is outside the box") {
  PortStyle style;
  style.folded_width = 20;
  const Ports left = ports_on(kBox, Interface::kIn, 30, style),
              right = ports_on(kBox, Interface::kOut, 30, style);
  REQUIRE(left.places.size() == 1);
  CHECK(left.folded);
  CHECK(left.places[0] == Rect{84, 228, 104, 250});
  CHECK(right.places[0] == Rect{268, 228, 288, 250});
}

TEST_CASE("ports: closer by, more of them stand apart") {
  PortStyle style;
  CHECK(ports_on(kBox, Interface::kIn, 12, style).folded);
  style.least_apart /= 2;
  CHECK_FALSE(ports_on(kBox, Interface::kIn, 12, style).folded);
}

TEST_CASE("ports: none overlaps another one, nor leaves the height of its box") {
  rc::check([] {
    const auto height = *rc::gen::inRange(20, 400);
    const auto count = size_t(*rc::gen::inRange(1, 60));
    const Rect box{0, 0, 170, double(height)};
    const auto places = ports_on(box, Interface::kOut, count, {}).places;
    RC_ASSERT(places.size() == count || places.size() == 1);
    if (height < 2 * 22) return;
    for (size_t i = 0; i < places.size(); ++i) {
      RC_ASSERT(places[i].y0 >= 0 && places[i].y1 <= height);
      RC_ASSERT(i == 0 || !places[i].overlaps(places[i - 1]));
    }
  });
}

TEST_CASE("ports: a pointer means the nearest one in reach") {
  const Ports ports = ports_on(kBox, Interface::kIn, 3, {});
  const Pt first = ports.places[0].centre(), last = ports.places[2].centre();
  CHECK(port_at(ports, first, 3) == 0);
  CHECK(port_at(ports, last + Pt{6, 0}, 3) == 2);
  CHECK(port_at(ports, last + Pt{8, 0}, 3) == -1);
  CHECK(port_at(ports, {first.x, (first.y + ports.places[1].centre().y) / 2 - 1}, 9) == 0);
  CHECK(port_at({}, first, 3) == -1);
}
