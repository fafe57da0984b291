// SPDX-License-Identifier: Apache-2.0
// bench_inside: how the cost of an event grows with the number of events, of operations, and with
// the depth of calls. By threads: inside.cpp.
#include <benchmark/benchmark.h>

#include "drain.h"

namespace compmond::bench {
namespace {

// Feeds a new data side so many records; only that is timed.
void grow(benchmark::State& state, Shape shape, size_t records) {
  for (auto _ : state) {
    DataSide data(shape);
    Load load(shape, std::min(records, kRoundRecords));
    double seconds = 0;
    for (size_t fed = 0; fed < records; fed += load.records()) {
      seconds += cpu_seconds([&] { data.take(load); });
      load.advance();
    }
    state.SetIterationTime(seconds);
    if (!data.balanced()) return state.SkipWithError("the ledger is out of balance");
  }
  state.SetItemsProcessed(int64_t(state.iterations()) * int64_t(records));
}

// The argument is the number of events since start.
void grow_events(benchmark::State& state) { grow(state, {.threads = 4}, size_t(state.range(0))); }

// The argument is the number of operations, a quarter of it that of components.
void grow_operations(benchmark::State& state) {
  grow(state, {.threads = 4, .operations = uint32_t(state.range(0))}, 32 * kRoundRecords);
}

// The argument is the number of calls within each other.
void grow_depth(benchmark::State& state) {
  grow(state, {.depth = uint32_t(state.range(0))}, 4 * kRoundRecords);
}

void manual(benchmark::internal::Benchmark* benchmark) {
  benchmark->UseManualTime()->Unit(benchmark::kMillisecond);
}

BENCHMARK(grow_events)->Apply(manual)->RangeMultiplier(10)->Range(10'000, 100'000'000);
BENCHMARK(grow_operations)->Apply(manual)->Arg(4)->Arg(40)->Arg(400)->Arg(4000)->Arg(40'000);
BENCHMARK(grow_depth)->Apply(manual)->Arg(1)->Arg(4)->Arg(16)->Arg(64)->Arg(512)->Arg(4096);

}  // namespace
}  // namespace compmond::bench
