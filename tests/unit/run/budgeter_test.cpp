// SPDX-License-Identifier: Apache-2.0
#include "run/budgeter.h"

#include <doctest/doctest.h>

#include "../engine/fake_engine.h"

using namespace compmond;
using engine::Recording;
using engine::test::Fake;
using Operations = std::vector<record::OperationId>;
using Places = Fake::Places;

namespace {

constexpr uint64_t kSecond = 1'000'000'000;

// Two operations at 1 µs a call, of targets that use a whole CPU; 5 % are 50,000 calls per second.
struct Scene {
  // A second with so many calls.
  void second(uint64_t first, uint64_t second) {
    now_ns += kSecond;
    calls[0] += first;
    calls[1] += second;
    budgeter.look(calls, now_ns, now_ns);
  }
  void too_dear() {  // twice: once may be a burst
    second(10, 200'000);
    second(10, 200'000);
  }

  Fake fake{"fake"};
  plan::Plan plan = engine::test::plan_of(2, {&fake});
  plan::OperationStates states{plan};
  engine::Engines engines{engine::test::engines({&fake})};
  plan::Costs costs = *engines.calibrate();
  engine::Captures captures = *engines.open(plan, {});
  target::ObservedProcesses processes;
  run::Notes notes;
  run::Placement placement{plan, states, captures, processes, notes};
  bool placed = placement.place(run::Placement::Program::kAsOthers).has_value();
  std::vector<Operations> interrupts;
  run::Budgeter budgeter{
      {plan, states, costs, captures, placement, notes,
       [] { return run::Placement::Program::kAsOthers; },
       [this](uint64_t, Operations operations) { interrupts.push_back(std::move(operations)); }},
      5,
      0};
  uint64_t now_ns = 0;
  std::vector<uint64_t> calls{0, 0};
};

}  // namespace

TEST_CASE("budgeter: it looks four times a second") {
  const Scene scene;
  CHECK_FALSE(scene.budgeter.due(kSecond / 4 - 1));
  CHECK(scene.budgeter.due(kSecond / 4));
}

TEST_CASE("budgeter: within the budget all stays as it is") {
  Scene scene;
  for (int i = 0; i < 3; ++i) scene.second(10, 40'000);
  CHECK(scene.fake.placed() == Places{{0, 0}, {0, 1}});
  CHECK(scene.interrupts.empty());
}

TEST_CASE("budgeter: the dearest is paused and says why, for which all are hung anew once") {
  Scene scene;
  scene.too_dear();
  CHECK(scene.fake.placed() == Places{{0, 0}});
  CHECK(scene.states[1].paused());
  CHECK(scene.states[1].away_ns({0, 3 * kSecond}) == kSecond);
  CHECK(scene.states[1].reason ==
        "not observed since 2.0 s: its 200000 calls per second cost more than --max-overhead 5");
  CHECK_FALSE(scene.states[0].paused());
  CHECK(scene.fake.recordings == std::vector<Recording>{Recording::kPaused, Recording::kOn});
  CHECK(scene.interrupts == std::vector<Operations>{{}, {}});  // the edges of the gap
  REQUIRE(scene.notes.all().size() == 1);
  CHECK(scene.notes.all()[0].starts_with("all probes were away for "));
}

TEST_CASE("budgeter: it comes back after ten seconds, and goes again without the others") {
  Scene scene;
  scene.too_dear();
  scene.fake.recordings.clear();
  scene.interrupts.clear();
  for (int i = 0; i < 10; ++i) scene.second(10, 0);
  CHECK(scene.fake.placed() == Places{{0, 0}, {0, 1}});
  CHECK_FALSE(scene.states[1].paused());
  CHECK(scene.states[1].reason == "observed again since 12.0 s");
  CHECK(scene.states[1].away.back().end_ns != UINT64_MAX);
  scene.too_dear();
  CHECK(scene.fake.placed() == Places{{0, 0}});
  CHECK(scene.interrupts == std::vector<Operations>{{1}});
  CHECK(scene.fake.recordings.empty());
  CHECK(scene.states[1].away.front().start_ns == 2 * kSecond);
  CHECK(scene.states[1].away.size() == 2);
}

TEST_CASE("budgeter: what is refused when it is to come back stays refused, with the reason") {
  Scene scene;
  scene.too_dear();
  scene.fake.refuses[{0, 1}] = "the file is gone";
  for (int i = 0; i < 10; ++i) scene.second(10, 0);
  CHECK(scene.states[1].refused());
  CHECK(scene.states[1].reason == "the file is gone");
}
