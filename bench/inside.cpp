// SPDX-License-Identifier: Apache-2.0
// bench_inside: how many events per second the way from the kernel's records to the history takes
// on one core, from memory. The argument of a benchmark is the number of observed threads unless it
// says otherwise.
#include <benchmark/benchmark.h>

#include <variant>

#include "drain.h"
#include "history/store.h"
#include "load.h"
#include "record/stream.h"
#include "trace/tracer.h"

namespace compmond::bench {
namespace {

using record::Event;
using record::ThreadId;
using record::ThreadInfo;

struct Nowhere : record::EventSink {
  void on_thread(ThreadId, const ThreadInfo&) override {}
  void on_events(ThreadId, std::span<const Event> events) override {
    benchmark::DoNotOptimize(events.data());
  }
};

struct NoStore : trace::ExecutionSink {
  void on_begin(const trace::Begun& execution) override { benchmark::DoNotOptimize(execution.op); }
  void on_top(trace::OperationId op, uint64_t, uint64_t) override { benchmark::DoNotOptimize(op); }
  void on_closed(const trace::Execution& execution) override {
    benchmark::DoNotOptimize(execution.end_ns);
  }
  void on_whole(const trace::Execution& execution) override {
    benchmark::DoNotOptimize(execution.end_ns);
  }
};

void decode(benchmark::State& state) {
  Load load({.threads = uint32_t(state.range(0))});
  std::vector<cm_slot> memory = slots(load.threads());
  record::Stream stream(memory.data(), load.threads());
  Nowhere sink;
  measure(state, load, [&] { feed(stream, load, sink); });
}

void decode_pair(benchmark::State& state) {
  Load load({.threads = uint32_t(state.range(0))});
  std::vector<cm_slot> memory = slots(load.threads());
  record::Stream stream(memory.data(), load.threads());
  NoStore nothing;
  trace::Tracer tracer(component_of(), nothing);
  measure(state, load, [&] { feed(stream, load, tracer); });
}

void decode_pair_store(benchmark::State& state) {
  Load load({.threads = uint32_t(state.range(0))});
  std::vector<cm_slot> memory = slots(load.threads());
  record::Stream stream(memory.data(), load.threads());
  history::Store store(store_options());
  trace::Tracer tracer(component_of(), store);
  measure(state, load, [&] { feed(stream, load, tracer); });
  if (tracer.ledger().orphan_exits > 0 || !tracer.ledger().balanced())
    state.SkipWithError("the ledger is out of balance");
}

// Keeps decoded events, in spans as they came.
struct EventList : record::EventSink {
  void on_thread(ThreadId, const ThreadInfo&) override {}
  void on_events(ThreadId thread, std::span<const Event> events) override {
    spans.push_back({thread, all.size(), events.size()});
    all.insert(all.end(), events.begin(), events.end());
  }
  void feed(record::EventSink& sink) const {
    for (const Span& span : spans)
      sink.on_events(span.thread, {all.data() + span.first, span.count});
  }
  struct Span {
    ThreadId thread;
    size_t first, count;
  };
  std::vector<Event> all;
  std::vector<Span> spans;
};

EventList events_of(const Load& load) {
  std::vector<cm_slot> memory = slots(load.threads());
  record::Stream stream(memory.data(), load.threads());
  EventList out;
  feed(stream, load, out);
  return out;
}

void pair(benchmark::State& state) {
  Load load({.threads = uint32_t(state.range(0))});
  EventList events = events_of(load);
  NoStore nothing;
  trace::Tracer tracer(component_of(), nothing);
  for (auto _ : state) {
    time_round(state, [&] { events.feed(tracer); });
    for (Event& event : events.all) event.time_ns += load.round_ns();
  }
  state.SetItemsProcessed(int64_t(state.iterations()) * int64_t(load.records()));
}

// What a tracer tells a store, to be told again without the tracer.
struct Told : trace::ExecutionSink {
  struct Top {
    trace::OperationId op;
    uint64_t from_ns, to_ns;
  };
  struct Whole : trace::Execution {};
  void on_begin(const trace::Begun& execution) override { calls.emplace_back(execution); }
  void on_top(trace::OperationId op, uint64_t from_ns, uint64_t to_ns) override {
    calls.emplace_back(Top{op, from_ns, to_ns});
  }
  void on_closed(const trace::Execution& execution) override { calls.emplace_back(execution); }
  void on_whole(const trace::Execution& execution) override {
    calls.emplace_back(Whole{execution});
  }

  void tell(history::Store& store) const {
    for (const auto& call : calls) {
      if (const auto* whole = std::get_if<Whole>(&call))
        store.on_whole(*whole);
      else if (const auto* begun = std::get_if<trace::Begun>(&call))
        store.on_begin(*begun);
      else if (const auto* top = std::get_if<Top>(&call))
        store.on_top(top->op, top->from_ns, top->to_ns);
      else
        store.on_closed(std::get<trace::Execution>(call));
    }
  }
  void advance(uint64_t by_ns) {
    for (auto& call : calls) {
      if (auto* begun = std::get_if<trace::Begun>(&call)) {
        begun->start_ns += by_ns;
      } else if (auto* top = std::get_if<Top>(&call)) {
        top->from_ns += by_ns, top->to_ns += by_ns;
      } else {
        auto* whole = std::get_if<Whole>(&call);
        trace::Execution& closed = whole ? *whole : std::get<trace::Execution>(call);
        closed.start_ns += by_ns, closed.end_ns += by_ns;
      }
    }
  }
  std::vector<std::variant<trace::Begun, Top, trace::Execution, Whole>> calls;
};

void store(benchmark::State& state) {
  Load load({.threads = uint32_t(state.range(0))});
  const EventList events = events_of(load);
  Told told;
  trace::Tracer tracer(component_of(), told);
  events.feed(tracer);
  history::Store kept(store_options());
  for (auto _ : state) {
    time_round(state, [&] { told.tell(kept); });
    told.advance(load.round_ns());
  }
  state.SetItemsProcessed(int64_t(state.iterations()) * int64_t(load.records()));
}

// One look at the slots of threads of which none has news: what a drain costs when nothing happens.
void quiet_slots(benchmark::State& state) {
  std::vector<cm_slot> memory = slots(uint32_t(state.range(0)));
  record::Stream stream(memory.data(), uint32_t(memory.size()));
  Nowhere sink;
  std::vector<uint32_t> freed;
  for (auto _ : state) stream.read_slots(sink, freed);
}

void threads(benchmark::internal::Benchmark* benchmark) {
  benchmark->Arg(1)->Arg(100)->Arg(10000)->UseManualTime()->Unit(benchmark::kMillisecond);
}

BENCHMARK(decode)->Apply(threads);
BENCHMARK(pair)->Apply(threads);
BENCHMARK(store)->Apply(threads);
BENCHMARK(decode_pair)->Apply(threads);
BENCHMARK(decode_pair_store)->Apply(threads);
BENCHMARK(quiet_slots)->Arg(100)->Arg(10000)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace compmond::bench
