// SPDX-License-Identifier: Apache-2.0
#include "run/input_side.h"

#include <doctest/doctest.h>

#include "../engine/fake_engine.h"
#include "base/clock.h"

using namespace compmond;
using engine::test::Fake;

namespace {

constexpr uint64_t kSecond = 1'000'000'000;
constexpr double kBudget = 0.05;

struct Scene {
  // From here on all processes made so many calls of the system.
  void make(uint64_t calls) { fake.inputs->calls += calls; }

  Fake fake{"fake"};
  plan::Plan plan = engine::test::plan_of(1, {&fake});
  engine::Engines engines{engine::test::engines({&fake})};
  engine::Captures captures = *engines.open(plan, {});
  counts::InputTimes times;
  uint64_t cpu_ns = 0;
  double charged_ns = 0;
  run::InputSide side{{captures, times, nullptr, [this] { return cpu_ns; },
                       [this](double ns) { charged_ns += ns; }},
                      kBudget,
                      1};
};

}  // namespace

TEST_CASE("input side: where no engine counts it is an error") {
  Scene scene;
  CHECK(scene.side.begin().error().code == Exit::kUnavailable);
  CHECK_FALSE(scene.side.counts());
}

TEST_CASE(
    "input side: what counting costs is learned of a second, not of a look that began before") {
  Scene scene;
  scene.fake.inputs.emplace().call_ns = 100;
  const uint64_t before_ns = monotonic_ns();
  REQUIRE(scene.side.begin());
  scene.make(1'000'000);
  REQUIRE(scene.side.look(before_ns, false));
  CHECK(scene.charged_ns == 0);
  CHECK(scene.side.plan().always());

  scene.cpu_ns = kSecond;
  REQUIRE(scene.side.look(monotonic_ns() + kSecond, false));
  CHECK(scene.charged_ns == doctest::Approx(0.1 * kSecond));
  CHECK_FALSE(scene.side.plan().always());
}

TEST_CASE("input side: a time in which calls could not be looked at counts as not counted") {
  for (const uint64_t missed : {900u, 1100u}) {
    Scene scene;
    scene.fake.inputs.emplace().missed = 5000;  // before
    REQUIRE(scene.side.begin());
    const uint64_t began_ns = monotonic_ns();
    scene.make(1'000'000);
    scene.fake.inputs->missed += missed;
    scene.side.end();
    const Window all{began_ns, monotonic_ns()};
    const counts::InputTimes::Told told = scene.times.of({&all, 1});
    CHECK((told.counted_ns > 0) == (missed < 1000));
  }
}

TEST_CASE("input side: what is received while nothing else is counted has its price") {
  Scene scene;
  scene.fake.inputs.emplace().call_ns = 100;
  scene.fake.inputs->receive_ns = 50;
  scene.fake.inputs->receiving = 3;
  REQUIRE(scene.side.begin());
  uint64_t at_ns = monotonic_ns();
  const auto second = [&](uint64_t calls, uint64_t received) {
    scene.make(calls);
    scene.fake.inputs->received += received;
    scene.fake.inputs->receives += received;
    scene.cpu_ns += kSecond;
    REQUIRE(scene.side.look(at_ns += kSecond, false));
  };
  second(1'000'000, 100'000);
  CHECK(scene.charged_ns == doctest::Approx(0.105 * kSecond));
  CHECK_FALSE(scene.side.plan().always());
  for (int i = 0; i < 12; ++i) {
    second(0, 40'000);
    second(100'000, 1'000);
  }
  const double two = 40'000 * 50.0 + 100'000 * 100.0 + 1'000 * 50.0;
  CHECK(scene.charged_ns <= 0.105 * kSecond + 12.01 * two);
  CHECK(scene.charged_ns >= 0.105 * kSecond + 10.99 * two);
}

TEST_CASE("input side: a way that costs less is taken, and the moment of it is not counted") {
  Scene scene;
  scene.fake.inputs.emplace();
  REQUIRE(scene.side.begin());
  scene.make(1'000);
  scene.cpu_ns = kSecond;
  REQUIRE(scene.side.look(monotonic_ns() + kSecond, false));
  CHECK(scene.fake.switched_on == 0);
  scene.fake.would_change = true;
  scene.make(1'000);
  scene.cpu_ns = 2 * kSecond;
  REQUIRE(scene.side.look(monotonic_ns() + 2 * kSecond, false));
  CHECK(scene.fake.switched_on == 1);
  CHECK(scene.side.plan().always());
}
