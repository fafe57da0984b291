// SPDX-License-Identifier: Apache-2.0
#include "run/budgeter.h"

#include <doctest/doctest.h>

#include <functional>

#include "../engine/fake_engine.h"

using namespace compmond;
using engine::test::Fake;
using Operations = std::vector<record::OperationId>;
using Places = Fake::Places;

namespace {

constexpr uint64_t kSecond = 1'000'000'000;

// Three operations at 1 µs a call, of targets that use a whole CPU.
struct Scene {
  explicit Scene(std::vector<bool> must = {false, false, false}) : see_all(std::move(must)) {}
  ~Scene() { CHECK(changes.ended == changes.begun.size()); }

  // A look after a part of a second with so many calls.
  void part(uint64_t first, uint64_t second, uint64_t of) {
    now_ns += kSecond / of;
    if (!states[0].paused()) calls[0] += first / of;
    if (!states[1].paused()) calls[1] += second / of;
    budgeter.look(now_ns);
  }
  void second(uint64_t first, uint64_t second, uint64_t looks = 4) {
    for (uint64_t i = 0; i < looks; ++i) part(first, second, looks);
  }

  std::vector<bool> see_all;
  Fake fake{"fake"};
  plan::Plan plan = engine::test::plan_of(3, {&fake});
  plan::OperationStates states{plan};
  engine::Engines engines{engine::test::engines({&fake})};
  plan::Costs costs = *engines.calibrate();
  engine::Captures captures = *engines.open(plan, {});
  target::ObservedProcesses processes;
  run::Notes notes;
  run::Placement placement{plan, states, captures, processes, notes, see_all};
  bool placed = placement.place(run::Placement::Program::kAsOthers).has_value();
  struct Changes : pipeline::Changes {
    void begin_change(uint64_t now_ns, Operations operations) override {
      begun.push_back(std::move(operations));
      begun_ns.push_back(now_ns);
    }
    void close_open() override { closing(); }
    void end_change() override { ++ended; }
    void forget() {
      begun.clear();
      ended = 0;
    }
    std::vector<Operations> begun;
    std::vector<uint64_t> begun_ns;
    std::function<void()> closing = [] {};
    size_t ended = 0;
  } changes;
  bool room = true;
  uint64_t found_ns = 90 * kSecond, begin_ns = 100 * kSecond, now_ns = begin_ns;
  std::vector<uint64_t> calls{0, 0, 0};
  plan::Strangers strangers;
  std::optional<bool> all_fit;  // as slices saw it
  std::optional<double> see_all_pct;
  run::Budgeter budgeter{
      {plan, states, costs, placement, notes, changes,
       [this] {
         return pipeline::Counts{{calls, {0, 0, 0}, {0, 0, 0}}, {}, 0, 0};
       },
       [this] { return now_ns - found_ns; }, [] { return 0; }, [this] { return strangers; },
       [this] { return now_ns; }, [this](const std::vector<size_t>&) { return room; },
       [this] { return all_fit; }, [this](const std::vector<bool>&) { return see_all_pct; }},
      5,
      see_all,
      begin_ns};
};

}  // namespace

TEST_CASE("budgeter: it looks four times a second") {
  const Scene scene;
  CHECK_FALSE(scene.budgeter.due(scene.begin_ns + kSecond / 4 - 1));
  CHECK(scene.budgeter.due(scene.begin_ns + kSecond / 4));
}

TEST_CASE("budgeter: what strangers pay counts, and the reason says whose calls they are") {
  Scene scene;
  scene.strangers = {{0, 0, 0}, {0, 0, 0}, 0, false};
  for (int i = 0; i < 2; ++i) {
    scene.strangers.calls[1] += 100'000;
    scene.strangers.cost_ns[1] += 1e8;
    scene.part(40, 400, 4);
  }
  CHECK(scene.fake.placed() == Places{{0, 0}, {0, 2}});
  CHECK(scene.states[1].reason ==
        "not observed since 0.5 s: its 400400 calls per second (400000 of processes that are not "
        "observed), slowed by probes, cost more than --max-overhead 5");
}

TEST_CASE("budgeter: what strangers pay in slices is charged to these, and binds nothing") {
  Scene scene;
  scene.second(10, 200'000);
  REQUIRE(scene.states[1].paused());
  scene.strangers = {{0, 0, 0}, {0, 0, 0}, 0, false};
  for (int i = 0; i < 8; ++i) {
    scene.strangers.cost_ns[1] += 1e8;
    scene.part(10, 0, 4);
    CHECK(scene.budgeter.left_pct() > 4.5);
  }
}

TEST_CASE("budgeter: within the budget all stays as it is") {
  Scene scene;
  for (int i = 0; i < 3; ++i) scene.second(10, 30'000);
  CHECK(scene.fake.placed() == Places{{0, 0}, {0, 1}, {0, 2}});
  CHECK(scene.changes.begun.empty());
  CHECK(scene.states.busy().spans.empty());
}

TEST_CASE("budgeter: what is too dear is away and says why, others miss nothing") {
  Scene scene;
  scene.second(10, 200'000);
  CHECK(scene.fake.placed() == Places{{0, 0}, {0, 2}});
  CHECK(scene.states[1].paused());
  CHECK(scene.states[1].reason ==
        "not observed since 0.5 s: its 200000 calls per second, slowed by probes, cost more than "
        "--max-overhead 5");
  CHECK_FALSE(scene.states[0].paused());
  CHECK(scene.states[0].away.empty());
  CHECK(scene.changes.begun == std::vector<Operations>{{1}});
  CHECK(scene.states.busy().now());
  CHECK(scene.states.busy().whole_pct == doctest::Approx(20).epsilon(0.01));
  // Of 200,000 in a second of which a fifth was the probes'.
  CHECK(scene.states.busy().whole_calls_s == doctest::Approx(250'000).epsilon(0.01));
  CHECK(scene.states.busy().transfers_pct == 0);
  CHECK(scene.states.busy().budget_pct == 5);
}

TEST_CASE("budgeter: it is tried after ten seconds, and goes again without the others") {
  Scene scene;
  scene.second(10, 200'000);
  scene.changes.forget();
  while (scene.states[1].paused()) scene.part(10, 0, 4);
  CHECK(scene.fake.placed() == Places{{0, 0}, {0, 1}, {0, 2}});
  CHECK(scene.states[1].reason == "observed again since 10.5 s");
  CHECK(scene.states.busy().now());  // a try is not the end of it
  scene.second(10, 200'000, 10);
  CHECK(scene.fake.placed() == Places{{0, 0}, {0, 2}});
  CHECK(scene.changes.begun == std::vector<Operations>{{1}, {1}});  // it came, and went
  CHECK(scene.states[0].away.empty());
  CHECK(scene.states.busy().spans.size() == 1);
}

TEST_CASE("budgeter: what all would take is not counted twice when a try has failed") {
  Scene scene;
  scene.second(10, 200'000);
  scene.see_all_pct = 18;  // of what is away, as slices tell
  while (scene.states[1].paused()) scene.part(10, 0, 4);
  while (!scene.states[1].paused()) scene.part(10, 200'000, 4);
  CHECK(scene.states.busy().whole_pct == doctest::Approx(20).epsilon(0.01));  // the try's
  scene.part(10, 0, 4);
  CHECK(scene.states.busy().whole_pct == doctest::Approx(18).epsilon(0.01));
}

TEST_CASE("budgeter: what all would take is not told of a time in which some are off") {
  Scene scene;
  scene.second(10, 200'000);
  const double all_pct = scene.states.busy().whole_pct;
  scene.states.switch_off(1, scene.now_ns, "off");
  scene.second(10, 0);
  CHECK(scene.states.busy().whole_pct == all_pct);
  scene.see_all_pct = 1;
  scene.second(10, 0);
  CHECK(scene.states.busy().whole_pct == all_pct);
}

TEST_CASE(
    "budgeter: where there is no room for what is away it stays away, and is asked for again") {
  Scene scene;
  scene.room = false;
  scene.second(10, 200'000);
  for (int i = 0; i < 60; ++i) scene.second(10, 0);
  CHECK(scene.states[1].paused());
  CHECK(scene.states.busy().now());
  CHECK(scene.fake.placed() == Places{{0, 0}, {0, 2}});
  scene.room = true;
  for (int i = 0; i < 12; ++i) scene.second(10, 100, 10);
  CHECK_FALSE(scene.states[1].paused());
  CHECK_FALSE(scene.states.busy().now());
}

TEST_CASE("budgeter: a try that fits ends it") {
  Scene scene;
  scene.second(10, 200'000);
  for (int i = 0; i < 12; ++i) scene.second(10, 100, 10);
  CHECK_FALSE(scene.states.busy().now());
  CHECK_FALSE(scene.states[1].paused());
  CHECK(scene.states[1].away.within_ns({scene.begin_ns, scene.now_ns}) >= 10 * kSecond);
}

TEST_CASE("budgeter: an alarm takes all away before it asks, and brings back what is cheap") {
  Scene scene;
  scene.now_ns += 30'000'000;
  scene.calls = {25'000, 10, 0};
  scene.budgeter.alarm();
  CHECK(scene.fake.placed() == Places{{0, 1}, {0, 2}});
  CHECK(scene.states[0].paused());
  CHECK(scene.states[1].away.size() == 1);
  CHECK(scene.changes.begun.front() == Operations{0, 1, 2});
  CHECK(scene.states.busy().now());
}

TEST_CASE("budgeter: what its targets did before it began is not held against probes' cost") {
  Scene scene;
  const double own = double(scene.costs.at(plan::way_of(scene.plan, scene.states, 0)).total_ns());
  scene.now_ns += kSecond / 50;
  scene.calls = {uint64_t(4e6 / own), 0, 0};  // 4 of 20 ms
  scene.budgeter.alarm();
  CHECK(scene.states[0].paused());
  CHECK(scene.states.busy().whole_pct == doctest::Approx(20).epsilon(0.01));
}

TEST_CASE("budgeter: an alarm in a try takes away what is tried, and leaves the others alone") {
  Scene scene;
  scene.second(10, 200'000);
  while (scene.states[1].paused()) scene.part(10, 0, 4);
  const size_t missed = scene.states[0].away.size();
  scene.changes.forget();
  scene.now_ns += 30'000'000;
  scene.calls[1] += 25'000;
  scene.budgeter.alarm();
  CHECK(scene.fake.placed() == Places{{0, 0}, {0, 2}});
  CHECK(scene.changes.begun == std::vector<Operations>{{1}});
  CHECK(scene.states[0].away.size() == missed);
  CHECK(scene.states.busy().spans.size() == 1);
}

TEST_CASE("budgeter: an alarm leaves those alone that must see every call and are cheap") {
  Scene scene({false, true, false});
  scene.now_ns += 30'000'000;
  scene.calls = {25'000, 10, 0};
  scene.budgeter.alarm();
  CHECK(scene.fake.placed() == Places{{0, 1}, {0, 2}});
  CHECK(scene.states[1].away.empty());
  CHECK(scene.changes.begun.front() == Operations{0, 2});
  CHECK(scene.notes.all().empty());
}

TEST_CASE("budgeter: what must see every call does so until it goes, after the others") {
  Scene scene({false, true, false});
  scene.changes.closing = [&] { scene.now_ns += 100'000'000; };  // as it takes on a busy machine
  scene.now_ns += 30'000'000;
  scene.calls = {25'000, 25'000, 0};
  scene.budgeter.alarm();
  REQUIRE(scene.states[1].paused());
  REQUIRE(scene.changes.begun == std::vector<Operations>{{0, 2}, {1}});
  CHECK(scene.states[0].since_ns() == scene.changes.begun_ns[0]);
  CHECK(scene.states[1].since_ns() == scene.changes.begun_ns[1]);
  CHECK(scene.changes.begun_ns[1] == scene.changes.begun_ns[0] + 100'000'000);
}

TEST_CASE("budgeter: those that must see every call and are dear go, and it is said once") {
  Scene scene({false, true, false});
  scene.second(0, 200'000);
  CHECK(scene.states[1].paused());
  REQUIRE(scene.notes.all().size() == 1);
  CHECK(scene.notes.all()[0].starts_with("what must see every call (landmarks, contexts, "));
  CHECK(scene.notes.all()[0].ends_with(": f1. See every call: --max-overhead off"));
}

TEST_CASE("budgeter: those that must see every call come back apart from the others") {
  Scene scene({false, true, false});
  scene.second(10, 200'000);
  REQUIRE(scene.states[1].paused());
  scene.all_fit = false;
  scene.see_all_pct = 1;
  while (scene.states[1].paused()) scene.part(10, 0, 4);
  CHECK(scene.states[1].reason == "observed again since 10.5 s");
  CHECK(scene.states.busy().now());
  // Alone in its link: what goes now does not take it along.
  const size_t missed = scene.states[1].away.size();
  scene.now_ns += 30'000'000;
  scene.calls[0] += 25'000;
  scene.budgeter.alarm();
  CHECK(scene.states[1].away.size() == missed);
}

TEST_CASE("budgeter: what is refused when it is to come back stays refused, with the reason") {
  Scene scene;
  scene.second(10, 200'000);
  scene.fake.refuses[{0, 1}] = "the file is gone";
  for (int i = 0; i < 11; ++i) scene.second(10, 0);
  CHECK(scene.states[1].refused());
  CHECK(scene.states[1].reason == "the file is gone");
  CHECK_FALSE(scene.states.busy().now());
}
