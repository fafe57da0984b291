// SPDX-License-Identifier: Apache-2.0
// A replay knows how many exits the engine of the run could await.
#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>

#include "opened.h"
#include "recording/recorder.h"
#include "replay/replay_run.h"
#include "run_log/log_values.h"
#include "spec/parse.h"

using namespace compmond;
using record::Event;
using record::EventKind;
using replay::test::opened;
using replay::test::run_to_end;

namespace {

constexpr uint64_t kBegin = 1'000'000'000;

// Four calls in each other, each with a limited exit.
std::vector<Event> nested() {
  std::vector<Event> out(8);
  for (uint64_t i = 0; i < 4; ++i) {
    out[i].time_ns = kBegin + i;
    out[i].flags = record::kLimitedExit;
    out[7 - i].time_ns = kBegin + 10 - i;
    out[7 - i].kind = EventKind::kExit;
    out[i].sp = out[7 - i].sp = 9000 - 100 * i;
  }
  return out;
}

// What a replay finds truncated when a run that could await so many was recorded.
uint64_t truncated(uint32_t open_exits) {
  std::string name = std::filesystem::temp_directory_path() / "compmond-replay-XXXXXX";
  const std::filesystem::path folder = ::mkdtemp(name.data());
  const spec::Spec spec = *spec::parse(
      R"({"schema": "compmond.spec/1", "name": "s", "components": [{"name": "A", "in": ["f"]}]})",
      "s.json");
  plan::Plan plan;
  plan.operations.resize(1);
  plan.operations[0].name = plan.operations[0].symbol = "f";
  plan.operations[0].ways.resize(1);
  const plan::OperationStates states(plan);
  recording::Header header =
      run::log_header(spec, plan, states, plan::Costs(), {{"uprobe", "multi", true}});
  header.start_ns = header.begin_ns = kBegin;
  header.history_bytes = 1u << 20;
  header.open_exits = open_exits;
  recording::Recorder::Options options;
  options.path = folder / "log";
  auto recorder = *recording::Recorder::open(options);
  REQUIRE(recorder->start(header));
  recorder->on_thread(0, {100, 101, 5, "t"});
  recorder->on_events(0, nested());
  recording::State state =
      run::log_state(header, plan, states, target::ObservedProcesses({}, 0), plan::Costs(),
                     std::span<const target::Program>(), {}, {});
  state.as_of_ns = kBegin + 100;
  state.ended = true;
  recorder->finish(state);

  auto replay = opened(folder / "log");
  run_to_end(*replay);
  std::filesystem::remove_all(folder);
  return replay->snapshot(0, "overall", {}).components[0].figures.truncated;
}

}  // namespace

TEST_CASE("replay: what was too deep for the engine of the run is so in its replay") {
  CHECK(truncated(2) == 2);
  CHECK(truncated(3) == 1);
  CHECK(truncated(64) == 0);
  CHECK(truncated(UINT32_MAX) == 0);
}
