// SPDX-License-Identifier: Apache-2.0
// What the budget does where another engine sees calls for less.
#include <doctest/doctest.h>

#include "../engine/fake_engine.h"
#include "run/budgeter.h"

using namespace compmond;
using engine::test::Fake;
using Places = Fake::Places;

namespace {

constexpr uint64_t kSecond = 1'000'000'000;

std::vector<target::ObservedProcess> one_process() {
  std::vector<target::ObservedProcess> out(1);
  out[0].pid = 1001;
  return out;
}

// Two operations at 1 µs a call, or 30 ns in the process' own memory; a process that uses a CPU.
struct Scene {
  Scene() {
    own.by_process = true;
    own.cost_ns = 30;
    for (plan::PlannedOperation& op : plan.operations) op.ways.back().patches.emplace_back();
    costs = *engines.calibrate();
    REQUIRE(placement.place(run::Placement::Program::kAsOthers));
  }
  void quarter(uint64_t first, uint64_t second) {
    now_ns += kSecond / 4;
    if (!states[0].paused()) calls[0] += first / 4;
    if (!states[1].paused()) calls[1] += second / 4;
    budgeter.look(now_ns);
  }

  struct Changes : pipeline::Changes {
    void begin_change(uint64_t, std::vector<record::OperationId>) override { ++begun; }
    void close_open() override { ++closed; }
    void end_change() override { ++ended; }
    int begun = 0, closed = 0, ended = 0;
  } changes;
  Fake probes{"probes"}, own{"own", false};
  plan::Plan plan = engine::test::plan_of(2, {&probes, &own});
  plan::OperationStates states{plan};
  engine::Engines engines{engine::test::engines({&probes, &own})};
  plan::Costs costs;
  engine::Captures captures = *engines.open(plan, {});
  target::ObservedProcesses processes{one_process(), 0};
  run::Notes notes;
  run::Placement placement{plan, states, captures, processes, notes};
  uint64_t begin_ns = 100 * kSecond, now_ns = begin_ns;
  std::vector<uint64_t> calls{0, 0};
  uint64_t delivered = 0, lost = 0;  // records
  run::Budgeter budgeter{
      {plan, states, costs, placement, notes, changes,
       [this] {
         return pipeline::Counts{{calls, {0, 0}, {0, 0}}, {}, delivered, lost};
       },
       [this] { return now_ns - 90 * kSecond; }, [] { return 0; }, [] { return plan::Strangers(); },
       [this] { return now_ns; }, [](const std::vector<size_t>&) { return true; }},
      5,
      {false, false},
      begin_ns};
};

}  // namespace

TEST_CASE("budgeter: what is too dear for probes goes on by an engine that sees it for less") {
  Scene scene;
  for (int i = 0; i < 4; ++i) scene.quarter(10, 200'000);
  CHECK(scene.probes.placed() == Places{{0, 0}});
  CHECK(scene.own.placed() == Places{{1001, 1}});
  CHECK(scene.states[1].attached());
  CHECK(plan::way_of(scene.plan, scene.states, 1).engine == "own");
  CHECK(scene.states[1].reason ==
        "by own since 0.5 s: its 200000 calls per second, slowed by probes, cost more than "
        "--max-overhead 5");
  CHECK(scene.states.busy().spans.empty());  // nothing is away
  REQUIRE(scene.states[1].away.size() == 1);
  CHECK_FALSE(scene.states[1].away.open());
  CHECK(scene.changes.begun == scene.changes.ended);
  CHECK(scene.changes.closed == 1);  // what was open then
  REQUIRE(scene.notes.all().size() == 1);
  CHECK(scene.notes.all().front().starts_with("1 operation is observed by own since 0.5 s"));
}

TEST_CASE("budgeter: an alarm has what goes go on by an engine that sees it for less") {
  Scene scene;
  scene.now_ns += kSecond / 20;
  scene.calls = {10, 40'000};
  scene.budgeter.alarm();
  CHECK(scene.probes.placed() == Places{{0, 0}});
  CHECK(scene.own.placed() == Places{{1001, 1}});
  CHECK(scene.states.busy().spans.empty());
}

TEST_CASE("budgeter: whatever an alarm has go on elsewhere has no probe any more") {
  Scene scene;
  scene.now_ns += kSecond / 20;
  scene.calls = {60, 40'000};  // the first is cheap enough to stay, and worth to be cheaper
  scene.budgeter.alarm();
  CHECK(scene.own.placed() == Places{{1001, 0}, {1001, 1}});
  CHECK(scene.probes.placed().empty());
}

TEST_CASE("budgeter: calls whose records were lost cost as much as the others") {
  Scene scene;
  for (int i = 0; i < 4; ++i) {
    scene.delivered += 5'000, scene.lost += 95'000;
    scene.quarter(10, 10'000);
  }
  CHECK(scene.own.placed() == Places{{1001, 1}});
  CHECK(scene.states[1].reason.find("its 200000 calls per second") != std::string::npos);
}

TEST_CASE("budgeter: what no process takes so is away like before, and not tried again") {
  Scene scene;
  scene.own.refuses[{0, 1}] = "its code is not as its file";
  for (int i = 0; i < 4; ++i) scene.quarter(10, 200'000);
  CHECK(scene.own.placed().empty());
  CHECK(scene.states[1].paused());
  CHECK(plan::way_of(scene.plan, scene.states, 1).engine == "probes");
  CHECK(scene.states.busy().now());
  for (int i = 0; i < 100 && scene.states[1].paused(); ++i) scene.quarter(10, 0);
  CHECK(scene.states[1].attached());
  CHECK(scene.states[1].reason.starts_with("not by own: its code is not as its file"));
  for (int i = 0; i < 4; ++i) scene.quarter(10, 200'000);
  CHECK(scene.states[1].paused());
  CHECK(scene.notes.all().empty());
}
