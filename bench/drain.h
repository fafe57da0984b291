// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <ctime>
#include <vector>

#include "core/limits.h"
#include "figures/figures.h"
#include "history/store.h"
#include "load.h"
#include "record/stream.h"
#include "trace/tracer.h"

// What the benchmarks of the data side share.
namespace compmond::bench {

// The slots that a stream reads; all of threads that are in the middle of something.
inline std::vector<cm_slot> slots(uint32_t threads) {
  std::vector<cm_slot> out(threads);
  for (cm_slot& slot : out) {
    slot.state = CM_LIVE;
    slot.chunk.generation = 1;
  }
  return out;
}

inline history::Store::Options store_options(uint32_t operations = kOperations,
                                             size_t budget_bytes = limits::kHistoryBytes) {
  history::Store::Options out;
  out.operations = operations;
  out.budget_bytes = budget_bytes;
  return out;
}

// CPU time of this thread: what a core can do, whatever else runs on the machine.
template <class Work>
double cpu_seconds(Work&& work) {
  const auto now = [] {
    timespec t{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return double(t.tv_sec) + double(t.tv_nsec) / 1e9;
  };
  const double start = now();
  work();
  return now() - start;
}

template <class Round>
void time_round(benchmark::State& state, Round&& round) {
  state.SetIterationTime(cpu_seconds(round));
}

// Runs `round` on ever later rounds of the load; only it is timed.
template <class Round>
void measure(benchmark::State& state, Load& load, Round&& round) {
  round();  // first sightings are not what is measured
  for (auto _ : state) {
    load.advance();
    time_round(state, round);
  }
  state.SetItemsProcessed(int64_t(state.iterations()) * int64_t(load.records()));
}

inline void feed(record::Stream& stream, const Load& load, record::EventSink& sink) {
  for (const cm_chunk& chunk : load.chunks()) stream.on_chunk(chunk, sink);
}

// Everything from the kernel's chunks to the history, and the plan that belongs to it.
class DataSide {
 public:
  explicit DataSide(Shape shape, size_t budget_bytes = limits::kHistoryBytes)
      : memory_(slots(shape.threads)),
        stream_(memory_.data(), shape.threads),
        store_(store_options(shape.operations, budget_bytes)),
        tracer_(component_of(shape.operations), store_) {
    model_.component_of = component_of(shape.operations);
    const int components =
        *std::max_element(model_.component_of.begin(), model_.component_of.end());
    model_.parent_of.assign(size_t(components) + 1, -1);
    model_.inside_ns.assign(shape.operations, 300);
    model_.outside_ns.assign(shape.operations, 400);
  }

  void take(const Load& load) {
    feed(stream_, load, tracer_);
    now_ns_ += load.round_ns();
  }
  bool balanced() const {
    return tracer_.ledger().orphan_exits == 0 && tracer_.ledger().balanced();
  }
  uint64_t now_ns() const { return now_ns_; }
  const history::Store& store() const { return store_; }
  const figures::Model& model() const { return model_; }
  history::Checkpoint checkpoint() const {
    history::Checkpoint out;
    store_.fill(out);
    out.as_of_ns = now_ns_;
    tracer_.open_executions(out.open);
    return out;
  }

 private:
  std::vector<cm_slot> memory_;
  record::Stream stream_;
  history::Store store_;
  trace::Tracer tracer_;
  figures::Model model_;
  uint64_t now_ns_ = 0;
};

}  // namespace compmond::bench
