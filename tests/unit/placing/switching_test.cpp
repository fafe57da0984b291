// SPDX-License-Identifier: Apache-2.0
#include "placing/switching.h"

#include <doctest/doctest.h>

#include "../engine/fake_engine.h"

using namespace compmond;
using engine::test::Fake;
using Places = Fake::Places;

namespace {

constexpr uint64_t kSecond = 1'000'000'000;

// f0 in Front, f1 in Work, f2 in Work/Leaf.
struct SwitchedScene {
  ~SwitchedScene() { CHECK(changes.ended == changes.begun); }

  static plan::Plan planned(const Fake& fake) {
    plan::Plan out = engine::test::plan_of(3, {&fake});
    for (int i = 0; i < 3; ++i) out.operations[size_t(i)].component = i;
    return out;
  }
  static spec::Spec specified() {
    spec::Spec out;
    for (const char* path : {"Front", "Work", "Work/Leaf"})
      out.components.emplace_back().path = path;
    return out;
  }

  Fake fake{"fake"};
  spec::Spec spec = specified();
  plan::Plan plan = planned(fake);
  plan::OperationStates states{plan};
  engine::Engines engines{engine::test::engines({&fake})};
  plan::Costs costs = *engines.calibrate();
  engine::Captures captures = *engines.open(plan, {});
  target::ObservedProcesses processes;
  run::Notes notes;
  run::Placement placement{plan, states, captures, processes, notes};
  bool placed = placement.place(run::Placement::Program::kAsOthers).has_value();
  struct Changes : pipeline::Changes {
    void begin_change(uint64_t, std::vector<record::OperationId>) override { ++begun; }
    void close_open() override {}
    void end_change() override { ++ended; }
    size_t begun = 0, ended = 0;
  } changes;
  bool room = true;
  uint64_t now_ns = 100 * kSecond;
  size_t charged = 0;
  run::Switching switching{
      {spec, plan, states, placement,
       run::Rehanger({states, placement, notes, changes, [this] { return now_ns += 1000; },
                      [this] { ++charged; }}),
       [this] { return now_ns += kSecond; }, now_ns,
       [this](const std::vector<size_t>&) { return room; }}};
};

const Places kAll{{0, 0}, {0, 1}, {0, 2}};

}  // namespace

TEST_CASE("switching: a component goes with all it contains, and comes back") {
  SwitchedScene scene;
  CHECK(scene.fake.placed() == kAll);
  CHECK(scene.switching.set("Work", false) == "2 operations of 'Work' switched off");
  CHECK(scene.fake.placed() == Places{{0, 0}});
  CHECK(scene.states[2].reason == "switched off since 1.0 s");
  CHECK(scene.states[0].attached());
  CHECK(scene.charged > 0);
  CHECK(scene.switching.set("Work/Leaf", true) == "1 operation of 'Work/Leaf' switched on");
  CHECK(scene.fake.placed() == Places{{0, 0}, {0, 2}});
  CHECK(scene.switching.set("Work", true) == "1 operation of 'Work' switched on, 1 was already");
  CHECK(scene.fake.placed() == kAll);
  CHECK(scene.switching.set("Work", true) == "2 operations of 'Work' switched on already");
  REQUIRE(scene.states.switches().size() == 3);
  CHECK(scene.states.switches()[1].on);
  CHECK(scene.states.switches()[1].what == "Work/Leaf");
}

TEST_CASE("switching: others that hang apart are not touched") {
  SwitchedScene scene;
  REQUIRE(scene.switching.set("f1", false));
  REQUIRE(scene.switching.set("f1", true));
  CHECK(scene.states[0].away.empty());
  CHECK(scene.states[2].away.empty());
}

TEST_CASE("switching: names of operations, and patterns of either, are taken") {
  SwitchedScene scene;
  CHECK(scene.switching.set("f0", false));
  CHECK(scene.states[0].is_off());
  CHECK(scene.switching.set("*/Leaf", false));
  CHECK(scene.states[2].is_off());
  CHECK(scene.switching.set("f?", true));
  CHECK(scene.fake.placed() == kAll);
  CHECK(scene.switching.set("*", false));
  CHECK(scene.fake.placed().empty());
  CHECK_FALSE(scene.switching.all_off());
}

TEST_CASE("switching: what nothing is called names what is meant, and changes nothing") {
  SwitchedScene scene;
  const auto done = scene.switching.set("Wrok", false);
  REQUIRE_FALSE(done);
  CHECK(done.error().text().find("Did you mean 'Work'?") != std::string::npos);
  CHECK_FALSE(scene.switching.set("", false));
  CHECK_FALSE(scene.switching.set(std::string(513, '*'), false));
  CHECK(scene.states.switches().empty());
  scene.states.refuse(1, "it is odd");
  scene.states.refuse(2, "it is odd");
  const auto refused = scene.switching.set("Work", false);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().text().find("it is odd") != std::string::npos);
}

TEST_CASE("switching: all are paused at once, and each comes back as it was wished") {
  SwitchedScene scene;
  REQUIRE(scene.switching.set("f0", false));
  CHECK(scene.switching.set_all(false) == "all probes are paused");
  CHECK(scene.fake.placed().empty());
  CHECK(scene.switching.set_all(false) == "probes are paused already");
  REQUIRE(scene.switching.set("f0", true));
  REQUIRE(scene.switching.set("f1", false));
  CHECK(scene.fake.placed().empty());
  CHECK(scene.switching.set_all(true) == "probes are back");
  CHECK(scene.fake.placed() == Places{{0, 0}, {0, 2}});
  CHECK(scene.switching.set_all(true) == "probes are not paused");
}

TEST_CASE("switching: what is paused for the budget goes without a change, and is paused again") {
  SwitchedScene scene;
  scene.states.busy().spans.begin_at(scene.now_ns);
  scene.states.pause(1, scene.now_ns, "too dear");
  scene.placement.take_away(std::vector<size_t>{1});
  REQUIRE(scene.switching.set("f1", false));
  CHECK(scene.changes.begun == 0);
  CHECK(scene.states[1].is_off());
  REQUIRE(scene.switching.set("f1", true));
  CHECK(scene.states[1].paused());
  CHECK(scene.changes.begun == 0);
}

TEST_CASE("switching: what has no room does not come back, and says so") {
  SwitchedScene scene;
  REQUIRE(scene.switching.set("f1", false));
  scene.room = false;
  CHECK_FALSE(scene.switching.set("f1", true));
  CHECK(scene.states[1].is_off());
  CHECK(scene.states.switches().size() == 1);
  scene.room = true;
  CHECK(scene.switching.set("f1", true));
  CHECK(scene.fake.placed() == kAll);
}

TEST_CASE("switching: of very many operations those of a component hang together") {
  Fake fake{"fake"};
  plan::Plan plan = engine::test::plan_of(65, {&fake});
  for (size_t i = 0; i < 65; ++i) plan.operations[i].component = int(i % 2);
  plan::OperationStates states(plan);
  engine::Engines engines(engine::test::engines({&fake}));
  REQUIRE(engines.calibrate());
  const engine::Captures captures = *engines.open(plan, {});
  const target::ObservedProcesses processes;
  run::Notes notes;
  run::Placement placement(plan, states, captures, processes, notes);
  REQUIRE(placement.place(run::Placement::Program::kAsOthers));
  CHECK(placement.hang_with(std::vector<size_t>{4}).size() == 32);
  CHECK(placement.hang_with(std::vector<size_t>{3}).size() == 31);
}

TEST_CASE("switching: what cannot be placed stays off, and the wish is as before") {
  SwitchedScene scene;
  REQUIRE(scene.switching.set("Work", false));
  scene.fake.full = true;
  CHECK_FALSE(scene.switching.set("Work", true));
  CHECK(scene.states[1].is_off());
  CHECK(scene.states[2].is_off());
  CHECK(scene.fake.placed() == Places{{0, 0}});
  CHECK(scene.states.switches().size() == 1);
  scene.fake.full = false;
  CHECK(scene.switching.set("Work", true));
  CHECK(scene.fake.placed() == kAll);
}

TEST_CASE("switching: what samples alone tell of is no matter of probes") {
  SwitchedScene scene;
  for (const size_t i : {1, 2}) scene.plan.operations[i].ways[0].code = {{16, 16}};
  CHECK_FALSE(scene.switching.set("Work", false));
  REQUIRE(scene.switching.set_all(false));
  CHECK(scene.states[0].is_off());
  CHECK(scene.states[1].attached());
  scene.plan.operations[0].ways[0].code = {{16, 16}};
  CHECK_FALSE(scene.switching.set_all(true));
}
