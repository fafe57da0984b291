// SPDX-License-Identifier: Apache-2.0
#include "traces/window_traces.h"

#include <doctest/doctest.h>

#include "unit/figures/scene.h"

using namespace compmond;
using namespace compmond::traces;
using figures::kMs;
using figures::Scene;
using trace::in;
using trace::out;

namespace {

const RunOperations kNumbers = {{0, 1, 2}, {}};
constexpr size_t kMost = 200'000;

Scene scene(size_t budget = 64 << 20) { return Scene({0, 1, 2}, {-1, -1, -1}, budget); }

// f0 calls f1, which calls f2; then f0 calls f2.
void call(Scene& scene, uint32_t thread, uint64_t at_ms) {
  const uint64_t at = at_ms * kMs;
  scene.feed(thread,
             {in(0, 900, at), in(1, 800, at + 1 * kMs), in(2, 700, at + 2 * kMs),
              out(2, 700, at + 3 * kMs), out(1, 800, at + 4 * kMs), in(2, 800, at + 5 * kMs),
              out(2, 800, at + 6 * kMs), out(0, 900, at + 10 * kMs)});
}

std::vector<uint64_t> starts(const WindowTraces& found) {
  std::vector<uint64_t> out;
  for (const Trace& trace : found.traces) out.push_back(trace.start_ns() / kMs);
  return out;
}

WindowTraces traces_of(const Scene& scene, uint64_t as_of_ms, Window window, size_t most = kMost) {
  return window_traces(scene.store, scene.checkpoint(as_of_ms * kMs), kNumbers, window, most);
}

using Starts = std::vector<uint64_t>;

}  // namespace

TEST_CASE("window traces: each is whole, with its callers, in the order in which they ended") {
  Scene of = scene();
  call(of, 0, 10);
  call(of, 1, 12);
  call(of, 0, 30);
  const WindowTraces found = traces_of(of, 100, {0, 100 * kMs});
  CHECK(starts(found) == Starts{10, 12, 30});
  CHECK((found.broken == 0 && found.unfinished == 0 && !found.partial));
  const Trace& first = found.traces[0];
  REQUIRE(first.executions.size() == 4);
  CHECK(first.caller == std::vector<int32_t>{-1, 0, 1, 0});
  CHECK(first.executions[3].operation == 2);
  CHECK(first.executions[3].start_ns == 15 * kMs);
  CHECK(found.traces[1].executions[0].thread == 1);
  CHECK(first.id == int64_t(of.closed.front().trace_id));
}

TEST_CASE("window traces: those that overlap the window are there, also what reaches out of it") {
  Scene of = scene();
  for (const uint64_t at : {10, 30, 50}) call(of, 0, at);
  CHECK(starts(traces_of(of, 100, {18 * kMs, 19 * kMs})) == Starts{10});
  CHECK(starts(traces_of(of, 100, {19 * kMs, 31 * kMs})) == Starts{10, 30});
  CHECK(starts(traces_of(of, 100, {25 * kMs, 28 * kMs})) == Starts{});
  CHECK(traces_of(of, 100, {39 * kMs, 40 * kMs}).traces[0].executions.size() == 4);
}

TEST_CASE("window traces: one that still runs is counted, and not taken for a whole one") {
  Scene of = scene();
  call(of, 0, 10);
  of.feed(0, {in(0, 900, 30 * kMs), in(1, 800, 31 * kMs), out(1, 800, 32 * kMs)});
  const WindowTraces found = traces_of(of, 100, {0, 100 * kMs});
  CHECK(starts(found) == Starts{10});
  CHECK(found.unfinished == 1);
  CHECK(traces_of(of, 100, {0, 25 * kMs}).unfinished == 0);
}

TEST_CASE("window traces: one that lost events is broken, one that did not return has failed") {
  Scene of = scene();
  of.feed(0, {in(0, 900, 10 * kMs), in(1, 800, 11 * kMs), out(0, 900, 20 * kMs)});
  call(of, 0, 30);
  const WindowTraces found = traces_of(of, 100, {0, 100 * kMs});
  REQUIRE(starts(found) == Starts{10, 30});
  CHECK(found.traces[0].executions[1].failed);
  CHECK_FALSE(found.traces[0].executions[0].failed);

  of.feed(1, {in(0, 900, 50 * kMs), in(1, 800, 51 * kMs)});
  of.tracer.close_all(60 * kMs);
  const WindowTraces more = traces_of(of, 100, {0, 100 * kMs});
  CHECK(starts(more) == Starts{10, 30});
  CHECK(more.broken == 1);
}

TEST_CASE("window traces: one whose beginning is not retained any more is broken") {
  Scene of = scene(1 << 20);
  of.feed(0, {in(0, 900, 1 * kMs)});
  uint64_t at = 2 * kMs;
  for (int i = 0; i < 60'000; ++i, at += 200) of.feed(0, {in(1, 800, at), out(1, 800, at + 100)});
  of.feed(0, {out(0, 900, at)});
  call(of, 0, at / kMs + 10);
  const WindowTraces found = traces_of(of, 1000, {0, 1000 * kMs});
  CHECK(found.traces.size() == 1);
  CHECK(found.broken == 1);
  CHECK(found.partial);
  CHECK(found.analysed_since_ns == of.store.complete_since_ns());
  CHECK(found.analysed_since_ns > 2 * kMs);
}

TEST_CASE("window traces: of too many executions the newest traces are there, and none in part") {
  Scene of = scene();
  for (uint64_t at = 0; at < 40'000; at += 20) call(of, 0, at);
  const WindowTraces found = traces_of(of, 41'000, {0, 41'000 * kMs}, 101);
  CHECK(found.traces.size() == 25);
  CHECK(found.traces.back().start_ns() == 39'980 * kMs);
  CHECK((found.partial && found.broken == 0));
  CHECK(found.analysed_since_ns <= found.traces.front().start_ns());
  CHECK(found.analysed_since_ns > 39'000 * kMs);
  const WindowTraces all = traces_of(of, 41'000, {0, 41'000 * kMs});
  CHECK(all.traces.size() == 2000);
  CHECK_FALSE(all.partial);
  // A window of the past costs what is in it.
  const WindowTraces past = traces_of(of, 41'000, {1000 * kMs, 1100 * kMs}, 101);
  CHECK(starts(past) == Starts{1000, 1020, 1040, 1060, 1080});
  CHECK_FALSE(past.partial);
}

TEST_CASE("window traces: one that is longer than what is looked at is left out, which is said") {
  Scene of = scene();
  of.feed(0, {in(0, 900, 1 * kMs)});
  for (uint64_t at = 2; at < 500; ++at)
    of.feed(0, {in(1, 800, at * kMs), out(1, 800, at * kMs + 1000)});
  of.feed(0, {out(0, 900, 600 * kMs)});
  call(of, 1, 610);
  const WindowTraces found = traces_of(of, 700, {590 * kMs, 700 * kMs}, 100);
  CHECK(starts(found) == Starts{610});
  CHECK((found.partial && found.broken == 0));
}

TEST_CASE("retained trace: one is found wherever it is, one that runs or is gone is none") {
  Scene of = scene();
  call(of, 0, 10);
  for (uint64_t at = 30; at < 100'000; at += 30) call(of, 1, at);
  of.feed(0, {in(0, 900, 200'000 * kMs)});
  const auto look = [&](uint64_t id, size_t most = kMost) {
    return retained_trace(of.store, of.checkpoint(300'000 * kMs), kNumbers, id, most);
  };
  const uint64_t first = of.closed.front().trace_id;
  const WindowTraces found = look(first);
  CHECK(starts(found) == Starts{10});
  CHECK(found.traces[0].id == int64_t(first));
  CHECK(look(first, 3).traces.empty());
  CHECK(look(first, 3).partial);
  const WindowTraces running = look(of.checkpoint(0).open.front().trace_id);
  CHECK((running.traces.empty() && running.unfinished == 1));
  const WindowTraces unknown = look(987'654'321);
  CHECK((unknown.traces.empty() && unknown.unfinished == 0 && unknown.broken == 0));
}
