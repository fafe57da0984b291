// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <utility>

#include "../trace/segments.h"
#include "../trace/simulator.h"
#include "figures/clip.h"
#include "history/nested_parts.h"
#include "scene.h"

using namespace compmond;
using namespace compmond::figures;
using trace::Simulator;

namespace {

constexpr uint32_t kThreads = 3;
const Filter kFromExecutions{{}, {0, 1, 2}, {}, 0};

// Random programs on three threads, some executions left open; returns now.
uint64_t run(Scene& scene, const std::vector<uint32_t>& script) {
  uint64_t now = 0;
  for (uint32_t thread = 0; thread < kThreads; ++thread) {
    Simulator simulator(0x7000'0000'0000 + (uint64_t(thread) << 32));
    for (size_t i = thread; i < script.size(); i += kThreads) simulator.step(script[i]);
    scene.feed(thread, simulator.events);
    if (!simulator.events.empty()) now = std::max(now, simulator.events.back().time_ns);
  }
  return now;
}

struct RandomScene : Scene {
  RandomScene() : Scene(trace::simulator_components(), {-1, 0, 0, 1, -1}, 0) {
    for (OperationId op = 0; op < Simulator::kOperations; ++op) {
      model.inside_ns[op] = op % 3;
      model.outside_ns[op] = op % 5;
    }
  }
};

auto script() {
  return rc::gen::resize(500,
                         rc::gen::container<std::vector<uint32_t>>(rc::gen::arbitrary<uint32_t>()));
}

// What was on top when, up to now.
std::vector<trace::Segment> on_top(const Scene& scene, uint64_t now) {
  std::vector<trace::Execution> all = scene.closed;
  for (const trace::OpenExecution& open : scene.checkpoint(now).open)
    all.emplace_back(trace::Execution{open}).end_ns = now;
  return trace::segments(std::move(all));
}

void same(const std::vector<Figures>& a, const std::vector<Figures>& b) {
  RC_ASSERT(a.size() == b.size());
  for (size_t i = 0; i < a.size(); ++i) RC_ASSERT(fields(a[i]) == fields(b[i]));
}

}  // namespace

TEST_CASE(
    "figures: a window that covers the whole run agrees exactly with the whole run's totals") {
  CHECK(rc::check([](uint8_t later) {
    RandomScene s;
    const uint64_t now = run(s, *script()) + later;
    const Result totals = s.whole(now), executions = s.figures(now, {0, now}, kFromExecutions);
    RC_ASSERT(!executions.partial);
    same(totals.operations, executions.operations);
    same(totals.components, executions.components);
    same(totals.subtrees, executions.subtrees);
    RC_ASSERT(totals.edges.size() == executions.edges.size());
    for (size_t i = 0; i < totals.edges.size(); ++i) {
      const Edge &a = totals.edges[i], &b = executions.edges[i];
      RC_ASSERT(std::tie(a.from, a.to, a.calls, a.raw_ns) ==
                std::tie(b.from, b.to, b.calls, b.raw_ns));
    }
    RC_ASSERT(totals.threads.size() == executions.threads.size());
    for (size_t i = 0; i < totals.threads.size(); ++i) {
      RC_ASSERT(totals.threads[i].calls == executions.threads[i].calls);
      RC_ASSERT(totals.threads[i].raw_ns == executions.threads[i].raw_ns);
    }
  }));
}

TEST_CASE(
    "figures: real time in any window is the time on top in it, and adjacent windows add up") {
  CHECK(rc::check([](uint16_t at, uint16_t length, uint8_t later) {
    RandomScene s;
    const uint64_t now = run(s, *script()) + later;
    const uint64_t cut = now > 1000 ? 1000 + at % (now - 999) : 0,
                   cut2 = std::min<uint64_t>(now, cut + length);
    const std::vector<trace::Segment> segments = on_top(s, now);
    const Result whole = s.whole(now);
    const Result parts[] = {s.figures(now, {0, cut}), s.figures(now, {cut, cut2}),
                            s.figures(now, {cut2, now})};
    for (OperationId op = 0; op < Simulator::kOperations; ++op) {
      uint64_t expected = 0;
      for (const trace::Segment& segment : segments)
        if (segment.op == op) expected += clipped(segment.from, segment.to, {cut, cut2});
      RC_ASSERT(parts[1].operations[op].real_ns == expected);
      if (cut == cut2 || cut2 == now || cut == 0)
        continue;  // the last one would count its end twice
      Figures sum;
      for (const Result& part : parts) {
        sum.calls += part.operations[op].calls;
        sum.real_ns += part.operations[op].real_ns;
        sum.raw_ns += part.operations[op].raw_ns;
        sum.closed[0] += part.operations[op].closed[0];
        sum.closed[1] += part.operations[op].closed[1];
      }
      const Figures& all = whole.operations[op];
      RC_ASSERT(std::tie(sum.calls, sum.real_ns, sum.raw_ns, sum.closed[0], sum.closed[1]) ==
                std::tie(all.calls, all.real_ns, all.raw_ns, all.closed[0], all.closed[1]));
    }
  }));
}

TEST_CASE(
    "nested parts: go to the execution around them, and to none of another trace, depth or "
    "thread") {
  history::NestedParts parts;
  parts.add(1, 5, 2, 10);
  parts.add(1, 5, 2, 20);
  parts.add(2, 6, 2, 7);
  CHECK(parts.take(1, 4, 2) == 0);  // the executions around them are gone
  parts.add(1, 5, 2, 10);
  parts.add(1, 8, 2, 3);
  CHECK(parts.take(1, 8, 3) == 0);
  CHECK(parts.take(1, 8, 2) == 3);
  CHECK(parts.take(1, 8, 2) == 0);
  CHECK(parts.take(2, 6, 2) == 7);
}
