// SPDX-License-Identifier: Apache-2.0
#include "layout/route.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cmath>

using namespace compmond::layout;
using namespace compmond::geometry;

namespace {
Rect box(double x, double y) { return {x, y, x + 170, y + 80}; }
bool free_of(const Curve& curve, const Rect& rect) { return !crosses(flattened(curve, 40), rect); }
}  // namespace

TEST_CASE("route: from the right of the caller to the left of the callee") {
  const Curve curve = routed(box(0, 0), box(300, 200), {});
  CHECK(curve.front() == Pt{170, 40});
  CHECK(curve.back() == Pt{300, 240});
}

TEST_CASE("route: straight down to a box below, straight up to one above") {
  CHECK(routed(box(0, 0), box(0, 200), {}).front() == Pt{85, 80});
  CHECK(routed(box(0, 0), box(0, 200), {}).back() == Pt{85, 200});
  CHECK(routed(box(0, 200), box(10, 0), {}).back() == Pt{95, 80});
}

TEST_CASE("route: around a box in the way, above or below") {
  const Rect from = box(0, 0), to = box(600, 0), middle = box(300, 0);
  CHECK_FALSE(free_of(direct(from, to), middle));
  CHECK(free_of(routed(from, to, {from, middle, to}), middle.grown(3)));
}

TEST_CASE("route: back to a caller on the left, past both boxes") {
  const Rect from = box(300, 0), to = box(0, 0);
  const Curve curve = routed(from, to, {from, to});
  CHECK(curve.front() == Pt{470, 40});
  CHECK(curve.back() == Pt{0, 40});
  CHECK(free_of(curve, from.grown(-4)));
  CHECK(free_of(curve, to.grown(-4)));
}

TEST_CASE("route: between columns of boxes a free way is found whichever two are joined") {
  std::vector<Rect> boxes;
  for (int column = 0; column < 4; ++column)
    for (int row = 0; row < 4; ++row) boxes.push_back(box(column * 244, row * 112));
  for (const Rect& from : boxes)
    for (const Rect& to : boxes) {
      if (to.x0 <= from.x1) continue;
      const Curve curve = routed(from, to, boxes);
      for (const Rect& other : boxes)
        if (other != from && other != to) REQUIRE(free_of(curve, other));
    }
}

TEST_CASE("labels: beside their lines, on no box and on no other label") {
  rc::check([] {
    std::vector<Rect> boxes;
    std::vector<std::vector<Pt>> lines;
    for (int i = 0; i < 12; ++i)
      boxes.push_back(box(*rc::gen::inRange(0, 1500), *rc::gen::inRange(0, 900)));
    for (size_t i = 1; i < boxes.size(); ++i)
      lines.push_back(flattened(routed(boxes[i - 1], boxes[i], boxes), 10));
    std::vector<LabelWish> wishes;
    std::vector<const std::vector<Pt>*> all;
    for (const auto& line : lines) {
      wishes.push_back({&line, 60, 14, 0});
      all.push_back(&line);
    }
    const auto places = place_labels(wishes, boxes, all);
    RC_ASSERT(places.size() == wishes.size());
    for (size_t i = 0; i < places.size(); ++i) {
      if (!places[i]) continue;
      for (const Rect& b : boxes) RC_ASSERT(!b.overlaps(places[i]->rect));
      for (size_t j = 0; j < i; ++j)
        RC_ASSERT(!places[j] || !places[j]->rect.overlaps(places[i]->rect));
    }
  });
}

TEST_CASE("labels: a line in the open has one") {
  const auto line = flattened(direct(box(0, 0), box(400, 300)), 10);
  const auto places = place_labels({{&line, 60, 14, 0}}, {box(0, 0), box(400, 300)}, {&line});
  REQUIRE(places[0]);
  CHECK(distance(line, places[0]->rect.centre()) < 45);
}

TEST_CASE("labels: where there is no room for all of it, the short form is placed") {
  // A corridor 20 high between two long boxes.
  const std::vector<Pt> line{{0, 50}, {100, 50}};
  const std::vector<Rect> boxes{{-500, 0, 600, 45}, {-500, 80, 40, 120}, {60, 80, 600, 120}};
  CHECK_FALSE(place_labels({{&line, 90, 40, 0}}, boxes, {})[0]);
  const std::vector<Rect> tight{{-500, 0, 600, 45}, {-500, 55, 0, 120}, {64, 55, 600, 120}};
  const auto places = place_labels({{&line, 90, 14, 50}}, tight, {});
  REQUIRE(places[0]);
  CHECK(places[0]->shortened);
}

TEST_CASE("route: a line to itself begins and ends at the box and stands below it") {
  const Rect box{10, 20, 110, 60};
  const Curve loop = self_loop(box);
  REQUIRE(loop.size() == 4);
  for (const Pt& end : {loop.front(), loop.back()}) CHECK(box.contains(end));
  CHECK_FALSE(crosses(flattened(loop, 8), box.grown(-1)));
  CHECK(bounds(loop).y1 > box.y1 + 10);
}
