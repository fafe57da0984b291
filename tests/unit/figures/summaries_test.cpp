// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <random>

#include "../trace/simulator.h"
#include "scene.h"

using namespace compmond;
using namespace compmond::figures;
using trace::Simulator;

namespace {

constexpr uint32_t kThreads = 3;

// A thread of calls within calls, of which some take as long as thousands of others and some never
// return.
struct Caller {
  explicit Caller(uint32_t thread) : sp(0x7000'0000'0000 + (uint64_t(thread) << 32)) {}

  void call(std::mt19937& numbers, uint32_t depth, size_t budget) {
    const size_t last = events.size() + budget;
    const OperationId op = numbers() % Simulator::kOperations;
    const uint64_t at = sp - 64 * depth;
    const bool counted = op % 7 == 6;
    const uint8_t flags = counted       ? uint8_t(record::kEntryOnly)
                          : op % 2 == 0 ? uint8_t(record::kLimitedExit)
                                        : uint8_t(0);
    events.push_back(trace::in(op, at, now += numbers() % 50, flags));
    while (!counted && depth < 200 && events.size() < last) {
      const size_t left = last - events.size();
      const bool deep = depth < 150 && numbers() % 4 != 0;  // beyond the 64 return probes
      call(numbers, depth + 1, deep ? left : std::min(left, size_t(1) << numbers() % 18));
    }
    if (!counted && numbers() % 16 != 0)
      events.push_back(trace::out(op, at, now += numbers() % 50));
  }

  uint64_t sp, now = 1000;
  std::vector<record::Event> events;
};

// Enough executions on three threads for summaries of summaries, some left open. Threads take turns
// of some events, so that ends come out of order in time as they do from a kernel.
struct LongScene : Scene {
  explicit LongScene(size_t budget)
      : Scene(trace::simulator_components(), {-1, 0, 0, 1, -1}, budget, objectives()) {
    for (OperationId op = 0; op < Simulator::kOperations; ++op) {
      model.inside_ns[op] = op % 3 + 0.1;
      model.outside_ns[op] = op % 5 + 0.3;
    }
    std::vector<Caller> callers;
    for (uint32_t thread = 0; thread < kThreads; ++thread) {
      Caller& caller = callers.emplace_back(thread);
      while (caller.events.size() < 100'000) caller.call(numbers, 0, 40'000);
    }
    std::vector<size_t> at(kThreads);
    for (uint32_t turn = 0; turn < kThreads * 1900; ++turn) {
      const uint32_t thread = turn % kThreads;
      const auto& events = callers[thread].events;
      const size_t count = std::min<size_t>(numbers() % 100, events.size() - at[thread]);
      if (count == 0) continue;
      feed(thread, {events.begin() + ptrdiff_t(at[thread]),
                    events.begin() + ptrdiff_t(at[thread] + count)});
      at[thread] += count;
      now = std::max(now, events[at[thread] - 1].time_ns);
    }
  }
  // Every second operation has one, which some of its executions miss.
  static history::Objectives objectives() {
    std::vector<uint64_t> ns(Simulator::kOperations);
    for (OperationId op = 0; op < ns.size(); op += 2) ns[op] = 20 * (op + 1);
    return history::Objectives(std::move(ns));
  }
  // A time at which something happened, or nearly.
  uint64_t moment() {
    const trace::Execution& e = closed[numbers() % closed.size()];
    return (numbers() % 2 ? e.start_ns : e.end_ns) + numbers() % 3 - 1;
  }

  std::mt19937 numbers{20261121};
  uint64_t now = 0;
};

void same(const std::vector<Figures>& a, const std::vector<Figures>& b) {
  REQUIRE(a.size() == b.size());
  for (size_t i = 0; i < a.size(); ++i) CHECK(fields(a[i]) == fields(b[i]));
}

void same(const Result& a, const Result& b) {
  CHECK(a.partial == b.partial);
  same(a.operations, b.operations);
  same(a.components, b.components);
  same(a.subtrees, b.subtrees);
  REQUIRE(a.edges.size() == b.edges.size());
  for (size_t i = 0; i < a.edges.size(); ++i) {
    const Edge &x = a.edges[i], &y = b.edges[i];
    CHECK(std::tie(x.from, x.to, x.calls, x.raw_ns) == std::tie(y.from, y.to, y.calls, y.raw_ns));
  }
  REQUIRE(a.threads.size() == b.threads.size());
  for (size_t i = 0; i < a.threads.size(); ++i) {
    CHECK(a.threads[i].calls == b.threads[i].calls);
    CHECK(a.threads[i].raw_ns == b.threads[i].raw_ns);
  }
}

// Where chunks of executions begin and end.
struct Extents : history::Visitor {
  history::Take wants(const history::Extent& extent) override {
    all.push_back(extent);
    return history::Take::kSingle;
  }
  void on_summary(const history::Extent&, const history::Summary&) override {}
  void on_executions(std::span<const trace::Execution>) override {}
  std::vector<history::Extent> all;
};

// A filter by thread that lets all pass: it needs single executions.
Filter one_by_one(Filter filter) {
  filter.threads = {0, 1, 2};
  return filter;
}

}  // namespace

TEST_CASE("summaries: figures are those of single executions, in any window") {
  LongScene s(64 << 20);
  REQUIRE(s.checkpoint(s.now).end_execution > 33 * 4096);
  const Filter all, component{{1}, {}, {}, 0}, operations{{}, {}, {2, 3, 9}, 0};
  for (int i = 0; i < 60; ++i) {
    uint64_t from = s.moment(), to = i % 3 == 0 ? s.now : s.moment();
    if (from > to) std::swap(from, to);
    const Filter& filter = i % 3 == 1 ? component : i % 7 == 0 ? operations : all;
    CAPTURE(from);
    CAPTURE(to);
    same(s.figures(s.now, {from, to}, filter), s.figures(s.now, {from, to}, one_by_one(filter)));
  }
  same(s.figures(s.now, {1, s.now - 1}), s.figures(s.now, {1, s.now - 1}, one_by_one({})));
  uint64_t missed = 0, unseen = 0;
  for (const Figures& f : s.figures(s.now, {1, s.now - 1}).operations) {
    missed += f.violations;
    unseen += f.unseen_violations;
  }
  CHECK(missed > 1000);
  CHECK((unseen > 0 && unseen < missed));
  Extents extents;
  s.store.walk(0, UINT64_MAX, extents);
  REQUIRE(extents.all.size() > 33);
  for (size_t i = 0; i < extents.all.size(); i += 5) {
    const history::Extent& extent = extents.all[i];
    for (const Window& window :
         {Window{extent.min_end_ns, s.now}, Window{extent.min_start_ns, extent.max_end_ns},
          Window{extent.min_end_ns, extent.max_end_ns + 1}})
      same(s.figures(s.now, window), s.figures(s.now, window, one_by_one({})));
  }
  // A checkpoint that is older than what is there now.
  history::Checkpoint earlier = s.checkpoint(s.now);
  earlier.first_execution += 5000;
  earlier.end_execution -= 5000;
  const Window window{s.now / 5, s.now / 2};
  same(figures::figures(s.store, earlier, s.model, window),
       figures::figures(s.store, earlier, s.model, window, one_by_one({})));
}

TEST_CASE("summaries: they go with the executions that they are about") {
  LongScene s(2 << 20);
  const history::Checkpoint checkpoint = s.checkpoint(s.now);
  REQUIRE(checkpoint.first_execution > 0);
  const uint64_t from = checkpoint.complete_since_ns;
  for (const Window& window : {Window{from, s.now - 1}, Window{(from + s.now) / 2, s.now}})
    same(s.figures(s.now, window), s.figures(s.now, window, one_by_one({})));
  CHECK(s.store.memory_bytes() < (4 << 20));
}
