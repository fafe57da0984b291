// SPDX-License-Identifier: Apache-2.0
// bench_inside: what the answers of a view cost.
#include <benchmark/benchmark.h>

#include <map>

#include "core/memory.h"
#include "drain.h"
#include "figures/figures.h"
#include "protocol/protocol.h"
#include "protocol/view.h"
#include "snapshot/snapshot.h"

namespace compmond::bench {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;

// The figures of a window, as each refresh of a view asks for; the first one has made the
// summaries.
void ask(benchmark::State& state, const DataSide& data, Window window) {
  const history::Checkpoint checkpoint = data.checkpoint();
  benchmark::DoNotOptimize(figures::figures(data.store(), checkpoint, data.model(), window));
  for (auto _ : state)
    benchmark::DoNotOptimize(figures::figures(data.store(), checkpoint, data.model(), window));
}

// The argument is the number of executions in the window.
void figures(benchmark::State& state) {
  const Shape shape{.threads = 4};
  Load load(shape);
  DataSide data(shape);
  size_t executions = 0;
  for (; executions < 2 * size_t(state.range(0)); executions += load.records() / 2) {
    data.take(load);
    load.advance();
  }
  const double share = double(state.range(0)) / double(executions), now = double(data.now_ns());
  ask(state, data, {data.now_ns() - uint64_t(now * share), data.now_ns()});
  state.SetItemsProcessed(int64_t(state.iterations()) * state.range(0));
}

// A run of so many seconds in which ten executions ended each second: all are retained.
const DataSide& run(int64_t seconds) {
  static std::map<int64_t, DataSide> runs;
  const auto known = runs.find(seconds);
  if (known != runs.end()) return known->second;
  const Shape shape{.threads = 4, .step_ns = 4 * kSecond / 20};
  DataSide& data = runs.try_emplace(seconds, shape).first->second;
  Load load(shape, 16 * CM_CHUNK_RECORDS);
  for (; data.now_ns() < uint64_t(seconds) * kSecond; load.advance()) data.take(load);
  return data;
}

// The last 10 s of ever longer runs.
void figures_by_run(benchmark::State& state) {
  const DataSide& data = run(state.range(0));
  ask(state, data, {data.now_ns() - 10 * kSecond, data.now_ns() - 1});
}

// Ever more of the same day.
void figures_by_window(benchmark::State& state) {
  const DataSide& data = run(86'400);
  ask(state, data, {data.now_ns() - uint64_t(state.range(0)) * kSecond, data.now_ns() - 1});
}

// Windows of so many seconds that reach back before what is retained.
void figures_from_tiles(benchmark::State& state) {
  static DataSide data({.threads = 4, .step_ns = 100'000}, 8 << 20);
  for (Load load({.threads = 4, .step_ns = 100'000}); data.now_ns() < 300 * kSecond; load.advance())
    data.take(load);
  ask(state, data, {data.now_ns() - uint64_t(state.range(0)) * kSecond, data.now_ns() - 1});
}

// A snapshot of so many components with two operations each, as JSON.
void to_json(benchmark::State& state) {
  snapshot::Snapshot value;
  for (int64_t i = 0; i < state.range(0); ++i) {
    snapshot::Component& component = value.components.emplace_back();
    component.name = "component " + std::to_string(i);
    for (const char* interface : {"in", "out"}) {
      snapshot::Operation& operation = component.operations.emplace_back();
      operation.name = component.name + "::operation(int, std::string const&)";
      operation.symbol = operation.name;
      operation.interface = Word<snapshot::Interface>(interface);
      operation.figures.calls = operation.figures.raw_ns = 123456789;
    }
  }
  for (auto _ : state) benchmark::DoNotOptimize(snapshot::to_json(value, JsonLayout::kCompact));
}

// The answer that a screen asks for 25 times a second: activity of 60 components in 1,000 columns,
// and 4,000 executions.
snapshot::View answer() {
  snapshot::View view;
  snapshot::StripView& strip = view.strip.emplace();
  strip.columns = 1000;
  for (uint64_t i = 0; i < 60; ++i) {
    strip.components.push_back("component " + std::to_string(i));
    std::vector<uint64_t>& row = strip.real_ns.emplace_back();
    for (uint64_t column = 0; column < strip.columns; ++column)
      row.push_back(column % 3 == 0 ? 0 : 1000 * i + column);
  }
  snapshot::ExecutionsView& singles = view.executions.emplace();
  singles.operations.resize(kOperations, {"component", "component::operation(int)"});
  for (uint32_t i = 0; i < 4000; ++i) {
    snapshot::ExecutionsView::Execution& one = singles.executions.emplace_back();
    one.operation = i % kOperations;
    one.caller = i % 3;
    one.pid = one.tid = 12345 + i % 4;
    one.start_ns = 123'456'789'000 + i * 1000;
    one.end_ns = one.start_ns + 900;
    one.real_ns = 800;
    one.trace_id = i / 4;
    one.eoi = one.ess = i % 4;
    one.closed = snapshot::Ending::kReturned;
  }
  return view;
}

// By the daemon.
void write_answer(benchmark::State& state) {
  const FreeMemory as_in_the_daemon;
  const snapshot::View view = answer();
  size_t bytes = 0;
  for (auto _ : state) benchmark::DoNotOptimize(bytes = snapshot::to_line(view).size());
  state.counters["bytes"] = double(bytes);
}

// By the window.
void read_answer(benchmark::State& state) {
  const std::string line = snapshot::to_line(answer());
  for (auto _ : state)
    if (!snapshot::answer_from_line(line)) state.SkipWithError("the answer is none");
}

BENCHMARK(figures)->Arg(1000)->Arg(100000)->Arg(1000000)->Arg(5000000)->Unit(
    benchmark::kMillisecond);
BENCHMARK(figures_by_run)->Arg(20)->Arg(600)->Arg(3600)->Arg(86'400)->Unit(benchmark::kMillisecond);
BENCHMARK(figures_by_window)
    ->Arg(10)
    ->Arg(600)
    ->Arg(3600)
    ->Arg(86'000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(figures_from_tiles)->Arg(10)->Arg(60)->Arg(290)->Unit(benchmark::kMillisecond);
BENCHMARK(to_json)->Arg(1000)->Unit(benchmark::kMillisecond);
BENCHMARK(write_answer)->Unit(benchmark::kMillisecond);
BENCHMARK(read_answer)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace compmond::bench
