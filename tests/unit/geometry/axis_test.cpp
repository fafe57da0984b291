// SPDX-License-Identifier: Apache-2.0
#include "geometry/axis.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cmath>

using namespace compmond::geometry;

namespace {
constexpr uint64_t kSecond = 1'000'000'000, kMinute = 60 * kSecond, kDay = 86'400 * kSecond;
Axis axis(uint64_t start, uint64_t end, double length = 1000) { return {start, end, 0, length}; }
}  // namespace

TEST_CASE("axis: a moment and its pixel are each other's inverse") {
  const Axis a{2 * kSecond, 4 * kSecond, 100, 500};
  CHECK(a.px(2 * kSecond) == doctest::Approx(100));
  CHECK(a.px(4 * kSecond) == doctest::Approx(600));
  CHECK(a.px(kSecond) == doctest::Approx(-150));
  CHECK(a.ns(350) == 3 * kSecond);
  CHECK(a.ns(-1e9) == 0);
  CHECK(a.ns_per_px() == doctest::Approx(4e6));
}

TEST_CASE("axis: one without length neither divides by zero nor moves") {
  const Axis a{5, 5, 10, 100};
  CHECK(a.px(7) == 10);
  CHECK(a.ns(50) == 5);
  CHECK(tick_step(a, 80) == 1);
}

TEST_CASE("axis: steps are those that people count in") {
  CHECK(tick_step(axis(0, kSecond), 80) == 100'000'000);
  CHECK(tick_step(axis(0, 10 * kSecond), 80) == kSecond);
  CHECK(tick_step(axis(0, 22 * kSecond), 80) == 2 * kSecond);
  CHECK(tick_step(axis(0, 100 * kSecond), 80) == 10 * kSecond);
  CHECK(tick_step(axis(0, 150 * kSecond), 80) == 15 * kSecond);
  CHECK(tick_step(axis(0, 10 * kMinute), 80) == kMinute);
  CHECK(tick_step(axis(0, 12 * kDay), 80) == kDay);
  CHECK(tick_step(axis(0, 100), 80) == 10);
}

TEST_CASE("axis: ticks stand on multiples of the step counted from the origin") {
  CHECK(ticks(axis(5, 31), 10, 0) == std::vector<uint64_t>{10, 20, 30});
  CHECK(ticks(axis(5, 31), 10, 3) == std::vector<uint64_t>{13, 23});
  CHECK(ticks(axis(5, 31), 10, 103) == std::vector<uint64_t>{13, 23});
  CHECK(ticks(axis(10, 30), 10, 0) == std::vector<uint64_t>{10, 20, 30});
  CHECK(ticks(axis(10, 30), 0, 0).empty());
}

TEST_CASE("axis: whatever the interval, ticks are apart as asked and inside") {
  rc::check([] {
    const uint64_t start = *rc::gen::inRange<uint64_t>(0, 400 * kDay);
    const uint64_t length = uint64_t(std::pow(10, *rc::gen::inRange(0, 17)));
    const Axis a = axis(start, start + length, 700);
    const uint64_t step = tick_step(a, 60);
    RC_ASSERT(double(step) / a.ns_per_px() >= 60 - 1e-6);
    const auto at = ticks(a, step, *rc::gen::inRange<uint64_t>(0, 400 * kDay));
    RC_ASSERT(at.size() <= 12u);
    for (const uint64_t tick : at) RC_ASSERT(tick >= a.start_ns && tick <= a.end_ns);
  });
}

TEST_CASE("axis: zooming keeps the moment under the pointer") {
  const Axis a = axis(10 * kSecond, 20 * kSecond);
  const Axis b = zoomed(a, 4, 300, 0, 100 * kSecond, 1000);
  CHECK(b.end_ns - b.start_ns == 10 * kSecond / 4);
  CHECK(b.px(13 * kSecond) == doctest::Approx(300));
}

TEST_CASE("axis: zooming and panning stop at the ends and at the shortest length") {
  const Axis a = axis(10 * kSecond, 20 * kSecond);
  const Axis all = zoomed(a, 1e-6, 900, 5 * kSecond, 30 * kSecond, 1000);
  CHECK(all.start_ns == 5 * kSecond);
  CHECK(all.end_ns == 30 * kSecond);
  const Axis closest = zoomed(a, 1e12, 0, 0, 30 * kSecond, 1000);
  CHECK(closest.end_ns - closest.start_ns == 1000);
  CHECK(panned(a, 1e9, 0, 30 * kSecond).end_ns == 30 * kSecond);
  CHECK(panned(a, -1e9, 3, 30 * kSecond).start_ns == 3);
  CHECK(panned(a, 100, 0, 30 * kSecond).start_ns == 11 * kSecond);
}
