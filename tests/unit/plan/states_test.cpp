// SPDX-License-Identifier: Apache-2.0
#include "plan/states.h"

#include <doctest/doctest.h>

using namespace compmond;
using plan::OperationState;
using plan::OperationStates;
using plan::Plan;

namespace {

plan::Way way(const std::string& engine, bool refused = false, const std::string& reason = {}) {
  plan::Way out;
  out.engine = engine;
  out.refused = refused;
  out.reason = reason;
  return out;
}

Plan plan_of(std::vector<plan::Way> ways, const std::string& note = {}) {
  Plan out;
  out.operations.resize(1);
  out.operations[0].ways = std::move(ways);
  out.operations[0].note = note;
  return out;
}

}  // namespace

TEST_CASE("states: an operation begins by its first way, with what a reader should know") {
  const OperationStates states(plan_of({way("one", false, "ret-sites"), way("other")}, "inlined"));
  CHECK(states[0].status == OperationState::Status::kAttached);
  CHECK(states[0].way == 0);
  CHECK(states[0].reason == "ret-sites; inlined");
  CHECK(states.observed() == 1);
}

TEST_CASE("states: what the only engine refuses is refused with its reason alone") {
  const OperationStates states(plan_of({way("one", true, "it is odd")}, "inlined"));
  CHECK(states[0].refused());
  CHECK(states[0].reason == "it is odd");
  CHECK(states.observed() == 0);
}

TEST_CASE("states: what an engine refuses in the plan goes by the next, and says why") {
  const OperationStates states(plan_of({way("one", true, "it is odd"), way("other")}, "inlined"));
  CHECK_FALSE(states[0].refused());
  CHECK(states[0].way == 1);
  CHECK(states[0].reason == "not by one: it is odd; inlined");
}

TEST_CASE("states: what an engine cannot place falls through to the next, with all reasons") {
  const Plan plan = plan_of({way("one"), way("two", true, "too short"), way("three")});
  OperationStates states(plan);
  CHECK(states.fall_through(plan, 0, "no place"));
  CHECK(states[0].way == 2);
  CHECK(states[0].reason == "not by one: no place; not by two: too short");
  CHECK_FALSE(states.fall_through(plan, 0, "no memory"));
  CHECK(states[0].refused());
  CHECK(states[0].reason == "not by one: no place; not by two: too short; not by three: no memory");
  CHECK(plan.operations[0].ways[0].reason.empty());
}

TEST_CASE("states: the next way is the next that is not refused") {
  const Plan plan = plan_of({way("one"), way("two", true, "too short"), way("three")});
  OperationStates states(plan);
  REQUIRE(plan::next_way(plan, states, 0));
  CHECK(plan::next_way(plan, states, 0)->engine == "three");
  states.fall_through(plan, 0, "no place");
  CHECK(plan::next_way(plan, states, 0) == nullptr);
  states.fall_through(plan, 0, "no memory");
  CHECK(plan::next_way(plan, states, 0) == nullptr);
}

TEST_CASE("states: each pause has its beginning and its end") {
  OperationStates states(plan_of({way("one")}));
  states.pause(0, 100, "too dear");
  CHECK(states[0].paused());
  CHECK(states[0].reason == "too dear");
  CHECK(states[0].away.within_ns({50, 130}) == 30);
  states.pause(0, 150, "still");
  states.come_back(0, 200, "back");
  CHECK_FALSE(states[0].paused());
  CHECK(states[0].reason == "back");
  states.pause(0, 300, "too dear again");
  states.come_back(0, 400, "back");
  states.come_back(0, 500, "back");
  CHECK(states[0].away.within_ns({0, 1000}) == 200);
  CHECK(states[0].away.within_ns({150, 350}) == 100);
  CHECK(states[0].away.within_ns({200, 300}) == 0);
  CHECK(states.observed() == 1);
}

TEST_CASE("states: of very many pauses the oldest are one, which hides no time") {
  OperationStates states(plan_of({way("one")}));
  for (uint64_t i = 0; i < 3 * plan::Spans::kMost; ++i) {
    states.pause(0, 100 * i, "too dear");
    states.come_back(0, 100 * i + 50, "back");
  }
  const uint64_t end = 300 * plan::Spans::kMost;
  CHECK(states[0].away.size() == plan::Spans::kMost);
  CHECK(states[0].away.within_ns({end - 1000, end}) == 500);
  CHECK(states[0].away.within_ns({0, 1000}) == 1000);
}

TEST_CASE("states: what is refused while it was paused stays refused") {
  OperationStates states(plan_of({way("one")}));
  states.pause(0, 100, "too dear");
  states.refuse(0, "the file is gone");
  states.come_back(0, 200, "back");
  CHECK(states[0].refused());
  CHECK(states[0].reason == "the file is gone");
  CHECK(states[0].away.within_ns({0, 1000}) == 100);
}

TEST_CASE("states: what fell through and is refused later keeps the reason of the first engine") {
  const Plan plan = plan_of({way("one"), way("two")}, "inlined");
  OperationStates states(plan);
  states.fall_through(plan, 0, "no place");
  states.refuse(0, "the file is gone");
  CHECK(states[0].refused());
  CHECK(states[0].reason == "not by one: no place; the file is gone");
}

TEST_CASE("states: what comes back says what there was to know before it went, however often") {
  const Plan plan =
      plan_of({way("one", true, "it is odd"), way("other", false, "ret-sites")}, "inlined");
  OperationStates states(plan);
  for (const std::string back : {"back", "back again"}) {
    states.pause(0, 100, "too dear");
    CHECK(states[0].reason == "too dear");
    states.come_back(0, 200, back);
    CHECK(states[0].reason == "not by one: it is odd; ret-sites; inlined; " + back);
  }
}

TEST_CASE("states: what is switched off is away and off, until it is switched on") {
  OperationStates states(plan_of({way("one", false, "ret-sites")}));
  states.switch_off(0, 100, "off");
  CHECK(states[0].is_off());
  CHECK_FALSE(states[0].paused());
  CHECK_FALSE(states[0].attached());
  CHECK(states[0].reason == "off");
  CHECK(states[0].since_ns() == 100);
  states.switch_off(0, 120, "off once more");
  CHECK(states[0].reason == "off");
  CHECK(states.switch_on(0, 200, "on again"));
  CHECK(states[0].attached());
  CHECK(states[0].reason == "ret-sites; on again");
  CHECK(states[0].since_ns() == 200);
  CHECK(states[0].away.within_ns({0, 1000}) == 100);
  CHECK(states[0].off.within_ns({0, 1000}) == 100);
  CHECK_FALSE(states.switch_on(0, 300, "on again"));
}

TEST_CASE("states: what was paused when it was switched off is paused again, and the run is busy") {
  for (const bool busy : {true, false}) {
    OperationStates states(plan_of({way("one")}));
    states.busy().spans.begin_at(50);
    states.pause(0, 50, "too dear");
    states.switch_off(0, 100, "off");
    if (!busy) states.busy().spans.end_at(150);
    states.come_back(0, 160, "back");  // not the budget's any more
    CHECK(states[0].is_off());
    CHECK_FALSE(states.switch_on(0, 200, "on again"));
    CHECK(states[0].paused());
    CHECK(states[0].reason == "too dear");
    CHECK(states[0].away.open());
    CHECK(states.busy().now());
    CHECK(states.busy().spans.within_ns({0, 1000}) == (busy ? 950 : 900));
    CHECK(states[0].off.within_ns({0, 1000}) == 100);
    states.come_back(0, 300, "back");
    states.switch_off(0, 400, "off");
    CHECK(states.switch_on(0, 500, "on again"));
  }
}

TEST_CASE("states: what is refused is not switched, and what is refused while off stays so") {
  OperationStates states(plan_of({way("one")}));
  states.switch_off(0, 100, "off");
  states.refuse_from(150, 0, "the file is gone");
  CHECK_FALSE(states.switch_on(0, 200, "on again"));
  CHECK(states[0].refused());
  CHECK(states[0].reason == "the file is gone");
  CHECK(states[0].off.within_ns({0, 1000}) == 50);
  states.switch_off(0, 300, "off");
  CHECK(states[0].refused());
}

TEST_CASE("states: of very many switches the newest are kept, and whether all probes are off") {
  plan::Switches switches;
  CHECK_FALSE(switches.all_off());
  switches.add({1, false, ""});
  for (uint64_t i = 0; i < plan::Switches::kMost - 1; ++i) switches.add({2 + i, i % 2 == 0, "one"});
  switches.add({4000, true, "one"});
  CHECK(switches.all_off());  // however much came since
  CHECK(switches.size() == plan::Switches::kMost);
  CHECK(switches.front().at_ns == 1);
  CHECK(switches[1].at_ns == 3);
  switches.add({5000, true, ""});
  CHECK(switches.size() == plan::Switches::kMost);
  CHECK_FALSE(switches.all_off());
}

TEST_CASE("states: spans that touch become one, of very many the oldest") {
  plan::Spans spans;
  spans.add({10, 20});
  spans.add({30, 40});
  spans.add({5, 7});
  CHECK(spans.size() == 3);
  spans.add({20, 25});
  CHECK(spans.size() == 3);
  spans.add({7, 35});
  REQUIRE(spans.size() == 1);
  CHECK(spans[0].start_ns == 5);
  CHECK(spans[0].end_ns == 40);
  for (uint64_t i = 1; i <= plan::Spans::kMost; ++i) spans.add({100 * i, 100 * i + 1});
  CHECK(spans.size() == plan::Spans::kMost);
  CHECK(spans[0].start_ns == 5);
  CHECK(spans[0].end_ns == 101);
  spans.add({50, UINT64_MAX});
  REQUIRE(spans.size() == 1);
  CHECK(spans.open());
}

TEST_CASE("states: what some process may have called unseen is of the operations in those images") {
  Plan two = plan_of({way("one")});
  two.operations.push_back(two.operations[0]);
  two.operations[0].image = 0;
  two.operations[1].image = 1;
  OperationStates states(two);
  const int image = 1;
  states.unseen(two, {&image, 1}, {3, 5});
  CHECK(states[0].unseen.empty());
  CHECK(states[1].unseen.within_ns({0, 10}) == 2);
}

namespace {

bool is_other(const plan::Way& way) { return way.exit == spec::ExitMode::kRetSites; }

// An engine's way, the one for when that is not safe any more, and another engine's.
Plan with_two_of_one(bool known = true) {
  plan::Way later = way("one", !known, known ? "" : "its exits are not all known");
  later.exit = spec::ExitMode::kRetSites;
  return plan_of({way("one"), later, way("other")}, "inlined");
}

}  // namespace

TEST_CASE("states: what an engine cannot place goes by the next engine, not by its other way") {
  const Plan plan = with_two_of_one();
  OperationStates states(plan);
  CHECK(plan::next_way(plan, states, 0)->engine == "other");
  CHECK(states.fall_through(plan, 0, "no place"));
  CHECK(states[0].way == 2);
  CHECK(states[0].reason == "not by one: no place; inlined");
}

TEST_CASE("states: a way that is not safe any more gives way to its engine's next, with the why") {
  const Plan plan = with_two_of_one();
  OperationStates states(plan);
  CHECK(states.change_over(plan, 0, 7, "a fiber", is_other));
  CHECK(states[0].way == 1);
  CHECK(states[0].reason == "ret-sites: a fiber; inlined");
  CHECK(states[0].unseen.empty());
  CHECK_FALSE(states.change_over(plan, 0, 9, "a debugger", is_other));  // none is left
  CHECK(states[0].refused());
}

TEST_CASE("states: a way changes while it is paused, and comes back as the other") {
  const Plan plan = with_two_of_one();
  OperationStates states(plan);
  states.pause(0, 100, "too dear");
  CHECK(states.change_over(plan, 0, 150, "a fiber", is_other));
  CHECK(states[0].paused());
  CHECK(states[0].reason == "too dear");
  states.come_back(0, 200, "back");
  CHECK(states[0].way == 1);
  CHECK(states[0].reason == "ret-sites: a fiber; inlined; back");
}

TEST_CASE("states: where the engine has no other way, what was observed is refused from then on") {
  const Plan plan = with_two_of_one(false);
  OperationStates states(plan);
  CHECK_FALSE(states.change_over(plan, 0, 7, "a fiber", is_other));
  CHECK(states[0].refused());
  CHECK(states[0].reason == "a fiber, and its exits are not all known");
  CHECK(states[0].unseen.open());
  CHECK(states[0].unseen.within_ns({0, 10}) == 3);
}

TEST_CASE("states: of what was refused before it was observed nothing is said to be unseen") {
  OperationStates states(plan_of({way("one", true, "it is odd")}));
  states.unseen(0, {3, 5});
  states.refuse_from(7, 0, "gone");
  CHECK(states[0].unseen.empty());
}
