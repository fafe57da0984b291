// SPDX-License-Identifier: Apache-2.0
// What a log tells of a run's operations, as of each moment.
#include "replay/logged_run.h"

#include <doctest/doctest.h>

#include "run_log/log_values.h"
#include "spec/parse.h"

using namespace compmond;

namespace {

constexpr const char* kOneComponent =
    R"({"schema": "compmond.spec/1", "name": "one", "components": [{"name": "A", "in": ["fa", "fb"]}]})";

// Two operations, for each of which three engines were asked; the first one refuses both.
struct Logged {
  Logged() {
    for (const char* name : {"fa", "fb"}) {
      plan::PlannedOperation& op = plan.operations.emplace_back();
      op.name = op.symbol = name;
      for (const char* engine : {"first", "second", "third"}) {
        plan::Way& way = op.ways.emplace_back();
        way.engine = engine;
        way.site = "there";
        way.moved_by = 4;
      }
      op.ways[0].refused = true;
      op.ways[2].exit = spec::ExitMode::kEntryOnly;
    }
    costs.set("second", "there", spec::ExitMode::kReturnProbe, {500, 600});
    costs.set("third", "there", spec::ExitMode::kEntryOnly, {0, 70});
    states = plan::OperationStates(plan);
    header = run::log_header(*spec::parse(kOneComponent, "one.json"), plan, states, costs,
                             {{"uprobe", "its way", true}});
  }
  recording::State state() const {
    return run::log_state(header, plan, states, {}, costs, std::span<const target::Program>(), {},
                          {});
  }

  plan::Plan plan;
  plan::Costs costs;
  plan::OperationStates states;
  recording::Header header;
};

const plan::Way& way(const replay::LoggedRun& run, size_t operation) {
  return plan::way_of(run.plan, run.states, operation);
}

}  // namespace

TEST_CASE("logged run: the header names the engine that observes an operation, not one before it") {
  const Logged logged;
  const auto run = replay::logged_run(*recording::header_from_json(to_json(logged.header)));
  REQUIRE(run);
  for (size_t i = 0; i < 2; ++i) {
    CHECK(way(*run, i).engine == "second");
    CHECK(run->costs.at(way(*run, i)).total_ns() == 1100);
  }
  CHECK(logged.state().changes.empty());
}

TEST_CASE("logged run: what fell through to another engine meanwhile is of that one from then on") {
  Logged logged;
  const recording::State before = logged.state();
  CHECK(logged.states.fall_through(logged.plan, 1, "it is gone"));
  const auto header = recording::header_from_json(to_json(logged.header));
  REQUIRE(header);
  const auto after = recording::state_from_json(to_json(logged.state()), *header);
  REQUIRE(after);
  auto run = replay::logged_run(*header);
  REQUIRE(run);
  run->states = replay::logged_states(*after, *header, run->plan);
  CHECK(way(*run, 0).engine == "second");
  CHECK(way(*run, 1).engine == "third");
  CHECK(way(*run, 1).exit == spec::ExitMode::kEntryOnly);
  CHECK(way(*run, 1).moved_by == 4);
  CHECK(run->costs.at(way(*run, 1)).total_ns() == 70);
  CHECK(run->states[1].reason == logged.states[1].reason);
  run->states = replay::logged_states(before, *header, run->plan);  // back before it
  CHECK(way(*run, 1).engine == "second");
}

TEST_CASE(
    "logged run: costs are what calls showed of them by the end, the header has those measured") {
  Logged logged;
  logged.costs.correct({"second", "there", spec::ExitMode::kReturnProbe}, 0.5);
  const auto header = recording::header_from_json(to_json(logged.header));
  REQUIRE(header);
  const auto last = recording::state_from_json(to_json(logged.state()), *header);
  REQUIRE(last);
  auto run = replay::logged_run(*header);
  REQUIRE(run);
  CHECK(run->costs.at(way(*run, 0)).total_ns() == 1100);
  replay::correct(run->costs, *last);
  CHECK(run->costs.at(way(*run, 0)).total_ns() == 550);
  CHECK(run->costs.measured(way(*run, 0)).total_ns() == 1100);
  CHECK(run->costs.corrections() == logged.costs.corrections());
}

TEST_CASE("logged run: what no engine is left for is of the last one, refused") {
  Logged logged;
  logged.states.fall_through(logged.plan, 0, "it is gone");
  CHECK_FALSE(logged.states.fall_through(logged.plan, 0, "so is this"));
  auto run = replay::logged_run(logged.header);
  REQUIRE(run);
  run->states = replay::logged_states(logged.state(), logged.header, run->plan);
  CHECK(run->states[0].refused());
  CHECK(way(*run, 0).engine == "third");
}

TEST_CASE("logged run: at a moment probes are away that were then, whenever a state was told") {
  Logged logged;
  logged.header.start_ns = 1'000'000'000;
  const recording::State first = logged.state();
  logged.states.pause(0, 5'000'000'000, "not observed since 4.0 s: dear");
  const recording::State paused = logged.state();
  logged.states.come_back(0, 9'000'000'000, "observed again since 8.0 s");
  const recording::State last = logged.state();
  const auto at = [&](uint64_t seconds, const recording::State& told) {
    return replay::logged_states(seconds * 1'000'000'000, told, last, logged.header,
                                 logged.plan)[0];
  };
  for (const recording::State& told : {first, paused, last}) {
    CHECK_FALSE(at(4, told).paused());
    CHECK(at(4, told).away.empty());
    CHECK(at(6, told).paused());
    CHECK(at(6, told).reason.starts_with("not observed since 4.0 s"));
    CHECK(at(6, told).away.within_ns({0, 10'000'000'000}) == 5'000'000'000);  // still away
    CHECK_FALSE(at(9, told).paused());
    CHECK(at(9, told).away.within_ns({0, 10'000'000'000}) == 4'000'000'000);
  }
  CHECK(at(9, last).reason == logged.states[0].reason);
}

TEST_CASE("logged run: a way that an operation does not have makes a state none") {
  Logged logged;
  recording::State state = logged.state();
  state.changes.emplace_back().way = 1;
  CHECK(recording::state_from_json(to_json(state), logged.header));
  state.changes[0].way = 2;
  CHECK_FALSE(recording::state_from_json(to_json(state), logged.header));
}
