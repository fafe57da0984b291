// SPDX-License-Identifier: Apache-2.0
#include "engine/engines.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <system_error>

#include "core/parallel.h"
#include "fake_engine.h"

using namespace compmond;
using engine::test::Fake;
using Places = Fake::Places;

namespace {

const Error kBroken{Exit::kUnavailable, "cannot start", "it is too old", ""};

}  // namespace

TEST_CASE("engines: each plans, in the order of their trial") {
  Fake first("first"), second("second");
  second.not_planned = {"f"};
  const engine::Engines engines(engine::test::engines({&first, &second}));
  const auto planners = engines.planners();
  REQUIRE(planners.size() == 2);
  CHECK(planners[0].engine == "first");
  CHECK(planners[1].engine == "second");
  elf::Symbol f;
  f.name = "f";
  CHECK_FALSE(planners[0].make({})->plan({0, f, spec::ExitMode::kAuto, {}, true}).front().refused);
  CHECK(planners[1].make({})->plan({0, f, spec::ExitMode::kAuto, {}, true}).front().refused);
}

TEST_CASE(
    "engines: costs are those of all that work, and where none does, the first one says why") {
  Fake first("first"), second("second");
  second.broken = kBroken;
  engine::Engines engines(engine::test::engines({&first, &second}));
  const auto costs = engines.calibrate();
  REQUIRE(costs);
  CHECK(costs->measured());
  CHECK(costs->at("first", "anywhere", spec::ExitMode::kReturnProbe).total_ns() == 1000);
  CHECK(costs->at("second", "anywhere", spec::ExitMode::kReturnProbe).total_ns() == 0);
  CHECK_FALSE(engines.typical_costs().measured());

  first.broken = Error{Exit::kNoPermission, "cannot start", "no rights", ""};
  engine::Engines none(engine::test::engines({&first, &second}));
  const auto nothing = none.calibrate();
  REQUIRE_FALSE(nothing);
  CHECK(nothing.error().code == Exit::kNoPermission);
}

TEST_CASE("engines: one is chosen by its name, or those that see calls, or all") {
  Fake first("first"), second("second"), third("third");
  second.traits.calls = false;
  engine::Engines engines(engine::test::engines({&first, &second, &third}));
  CHECK(engines.names() == std::vector<std::string>{"first", "second", "third"});
  CHECK(engines.see_calls());
  CHECK(engines.samplers() == std::vector<std::string>{"second"});
  engines.choose(engine::Engines::kAuto);
  CHECK(engines.names() == std::vector<std::string>{"first", "second", "third"});
  engines.choose_those_that_see_calls();
  CHECK(engines.names() == std::vector<std::string>{"first", "third"});
  CHECK(engines.samplers().empty());
  engine::Engines again(engine::test::engines({&first, &second, &third}));
  again.choose("second");
  CHECK(again.names() == std::vector<std::string>{"second"});
  CHECK_FALSE(again.see_calls());
}

TEST_CASE("engines: a word for --attach is told to the engine that knows it, and to no other") {
  Fake first("first"), second("second");
  first.traits.attach_words = {"soft", "hard"};
  second.traits.attach_words = {"slow"};
  engine::Engines engines(engine::test::engines({&first, &second}));
  CHECK(engines.attach_words() == std::vector<std::string>{"soft", "hard", "slow"});
  engines.attach_by("hard");
  CHECK(first.forced == "hard");
  CHECK(second.forced.empty());
}

TEST_CASE("engines: each says by itself how it fares here") {
  Fake first("first"), second("second");
  second.traits.calls = false;
  second.broken = kBroken;
  const auto said = engine::Engines(engine::test::engines({&first, &second})).diagnose();
  REQUIRE(said.size() == 2);
  CHECK(said[0].engine == "first");
  CHECK(said[0].works());
  CHECK(said[0].calls);
  CHECK(said[1].engine == "second");
  CHECK(said[1].outcome == kBroken.code);
  CHECK_FALSE(said[1].calls);
}

TEST_CASE("engines: each operation is placed by the engine of its way in use") {
  Fake first("first"), second("second");
  engine::Engines engines(engine::test::engines({&first, &second}));
  const plan::Plan plan = engine::test::plan_of(3, {&first, &second});
  plan::OperationStates states(plan);
  states.fall_through(plan, 1, "no");
  const auto captures = engines.open(plan, {});
  REQUIRE(captures);
  {
    const std::vector<size_t> all{0, 1, 2};
    const auto placed = captures->place(plan, states, {0, 7}, all);
    REQUIRE(placed);
    CHECK(first.placed() == Places{{7, 0}, {7, 2}});
    CHECK(second.placed() == Places{{7, 1}});
  }
  CHECK(first.placed().empty());
  CHECK(second.placed().empty());
}

TEST_CASE("engines: one that cannot be opened refuses what would be its, and says why") {
  Fake first("first"), second("second");
  first.broken = kBroken;
  engine::Engines engines(engine::test::engines({&first, &second}));
  const plan::Plan plan = engine::test::plan_of(1, {&first, &second});
  const plan::OperationStates states(plan);
  const auto captures = engines.open(plan, {});
  REQUIRE(captures);
  const std::vector<size_t> all{0};
  const auto placed = captures->place(plan, states, {}, all);
  REQUIRE(placed);
  REQUIRE(placed->size() == 1);
  REQUIRE((*placed)[0].placed->refused().size() == 1);
  CHECK((*placed)[0].placed->refused()[0].reason == kBroken.text());
  REQUIRE(captures->at_work().size() == 1);
  CHECK(captures->at_work()[0].traits.name == "second");
  CHECK(captures->at_work()[0].attach == "in memory");

  second.broken = kBroken;
  engine::Engines none(engine::test::engines({&first, &second}));
  const auto nothing = none.open(plan, {});
  REQUIRE_FALSE(nothing);
  CHECK(nothing.error().what == kBroken.what);
}

TEST_CASE("engines: one that follows is at work though the plan can use only one that does not") {
  Fake follower("follower"), other("other", false);
  other.attach = "elsewhere";
  plan::Plan plan = engine::test::plan_of(1, {&follower, &other});
  plan.operations[0].ways[0].refused = true;
  const plan::OperationStates states(plan);
  engine::Engines engines(engine::test::engines({&follower, &other}));
  const auto captures = engines.open(plan, {});
  REQUIRE(captures);
  REQUIRE(captures->targets().add(7));
  CHECK(follower.has(7));
  CHECK(captures->sources().size() == 2);  // ends of threads are the follower's to tell
  captures->record(engine::Recording::kOn);
  CHECK(follower.recordings == std::vector{engine::Recording::kOn});
  REQUIRE(captures->at_work().size() == 1);  // what the plan can use
  CHECK(captures->at_work()[0].attach == "elsewhere");
  const std::vector<size_t> all{0};
  const auto placed = captures->place(plan, states, {}, all);
  REQUIRE(placed);
  CHECK(follower.placed().empty());
  CHECK(other.placed() == Places{{0, 0}});
}

TEST_CASE("engines: one that the plan cannot use and that need not follow is left alone") {
  Fake idle("idle", false), used("used"), second("second");
  plan::Plan plan = engine::test::plan_of(1, {&idle, &used, &second});
  plan.operations[0].ways[0].refused = plan.operations[0].ways[2].refused = true;
  const auto captures =
      engine::Engines(engine::test::engines({&idle, &used, &second})).open(plan, {});
  REQUIRE(captures);
  CHECK(captures->sources().size() == 1);
}

TEST_CASE("engines: where the first that follows does not work, the next one does it") {
  Fake first("first"), second("second");
  first.broken = kBroken;
  const plan::Plan plan = engine::test::plan_of(1, {&first, &second});
  const auto captures = engine::Engines(engine::test::engines({&first, &second})).open(plan, {});
  REQUIRE(captures);
  REQUIRE(captures->targets().add(7));
  CHECK_FALSE(first.has(7));
  CHECK(captures->targets().all() == std::vector<pid_t>{7});

  Fake blind("blind", false);
  const plan::Plan its = engine::test::plan_of(1, {&blind});
  const auto nothing = engine::Engines(engine::test::engines({&blind})).open(its, {});
  REQUIRE_FALSE(nothing);
  CHECK(nothing.error().what == "no engine that works here follows processes");
}

TEST_CASE("engines: all that keep a list are told of a process, and the first one says who is in") {
  Fake first("first"), second("second");
  const plan::Plan plan = engine::test::plan_of(1, {&first, &second});
  const auto opened = engine::Engines(engine::test::engines({&first, &second})).open(plan, {});
  REQUIRE(opened);
  engine::Targets& targets = opened->targets();
  REQUIRE(targets.add(7));
  CHECK(first.has(7));
  CHECK(second.has(7));
  REQUIRE(first.add(8));  // a fork
  CHECK(targets.has(8));
  CHECK(targets.all() == std::vector<pid_t>{7, 8});
  targets.remove(7);
  CHECK_FALSE(first.has(7));
  CHECK_FALSE(second.has(7));

  first.gone = {9};
  const auto gone = targets.add(9);
  REQUIRE_FALSE(gone);
  CHECK(gone.error().code == Exit::kNoInput);
  CHECK_FALSE(second.has(9));
}

TEST_CASE("engines: one that does not follow does without a process that it cannot add") {
  Fake first("first"), second("second");
  const plan::Plan plan = engine::test::plan_of(1, {&first, &second});
  const auto opened = engine::Engines(engine::test::engines({&first, &second})).open(plan, {});
  REQUIRE(opened);
  for (pid_t pid = 10; pid < 20; ++pid) second.hidden.insert(pid);
  second.gone = {20};  // it ended since the first was told: nothing to speak of
  for (pid_t pid = 10; pid <= 20; ++pid) REQUIRE(opened->targets().add(pid));
  CHECK(opened->targets().all().size() == 11);
  const std::vector<std::string> notes = opened->notes();
  REQUIRE(notes.size() == 9);
  CHECK(notes[0] == "second does without process 10: its memory is not for us");
  CHECK(notes[8] == "… and without 2 more");
}

TEST_CASE("engines: one that takes samples beside the one that follows tells of no events") {
  Fake first("first"), second("second");
  second.traits.calls = false;
  const plan::Plan plan = engine::test::plan_of(1, {&first, &second});
  const auto both = engine::Engines(engine::test::engines({&first, &second})).open(plan, {});
  REQUIRE(both);
  CHECK(both->sources().size() == 1);
  CHECK(first.opened_with.arrivals);
  CHECK_FALSE(second.opened_with.arrivals);
  const auto alone = engine::Engines(engine::test::engines({&second}))
                         .open(engine::test::plan_of(1, {&second}), {});
  REQUIRE(alone);
  CHECK(alone->sources().size() == 1);
  CHECK(second.opened_with.arrivals);

  second.broken = kBroken;
  const auto without = engine::Engines(engine::test::engines({&first, &second})).open(plan, {});
  REQUIRE(without);
  CHECK(without->notes() == std::vector{"second does not work here: " + kBroken.text()});
}

TEST_CASE("engines: the fewest returns that one can await are the limit, none where none has one") {
  Fake first("first"), second("second");
  const plan::Plan plan = engine::test::plan_of(1, {&first, &second});
  const auto limit = [&] {
    return engine::Engines(engine::test::engines({&first, &second})).open(plan, {})->open_exits();
  };
  CHECK(limit() == UINT32_MAX);
  second.traits.open_exits = 64;
  CHECK(limit() == 64);
}

TEST_CASE("engines: work is done by as many threads as there can be, and all of it") {
  for (const size_t possible : {size_t(0), size_t(2), size_t(100)}) {
    CAPTURE(possible);
    size_t made = 0;
    std::vector<std::atomic<int>> done(50);
    in_parallel(
        done.size(), 16, [&](size_t i) { ++done[i]; },
        [&](std::function<void()> work) {
          if (made == possible)
            throw std::system_error(
                std::make_error_code(std::errc::resource_unavailable_try_again));
          ++made;
          return make_thread(std::move(work));
        });
    for (const auto& times : done) CHECK(times == 1);
    CHECK(made == std::min<size_t>(possible, 15));
  }
}

TEST_CASE("engines: what was placed in many processes goes away as a whole") {
  Fake fake("fake");
  engine::test::FakeCapture capture(fake);
  const plan::Plan plan = engine::test::plan_of(1, {&fake});
  const plan::OperationStates states(plan);
  const std::vector<size_t> all{0};
  std::vector<std::unique_ptr<engine::Placed>> placed;
  for (pid_t pid = 1; pid <= 50; ++pid)
    placed.push_back(*capture.place(plan, states, {0, pid}, all, plan::See::kCalls));
  CHECK(fake.placed().size() == 50);
  engine::take_away(std::move(placed));
  CHECK(fake.placed().empty());
  engine::take_away({});
}

TEST_CASE("engines: how far all is away is told step by step") {
  Fake fake("fake");
  engine::test::FakeCapture capture(fake);
  const plan::Plan plan = engine::test::plan_of(2, {&fake});
  const plan::OperationStates states(plan);
  const std::vector<size_t> one{0}, both{0, 1};
  std::vector<std::unique_ptr<engine::Placed>> placed;
  for (pid_t pid = 1; pid <= 50; ++pid)
    placed.push_back(
        *capture.place(plan, states, {0, pid}, pid % 2 == 0 ? one : both, plan::See::kCalls));
  size_t steps = 0;
  engine::take_away(std::move(placed), [&](size_t done, size_t of) {
    CHECK(done == ++steps);
    CHECK(of == 75);
  });
  CHECK(steps == 75);
  CHECK(fake.placed().empty());
}
