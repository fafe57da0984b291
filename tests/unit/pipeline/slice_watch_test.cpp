// SPDX-License-Identifier: Apache-2.0
#include "pipeline/slice_watch.h"

#include <doctest/doctest.h>

#include "../trace/recorder.h"

using namespace compmond;
using namespace compmond::pipeline;
using record::Event;
using record::EventKind;
using trace::in;
using trace::out;

namespace {

Event input(uint64_t time_ns, uint64_t descriptor, uint8_t flags = 0) {
  Event event;
  event.kind = EventKind::kInput;
  event.time_ns = time_ns;
  event.arg = descriptor | 12 << 8;
  event.flags = flags;
  return event;
}

uint64_t calls(const SliceSeen& seen, counts::Item item) {
  uint64_t sum = 0;
  if (const auto found = seen.slice.calls.find(item); found != seen.slice.calls.end())
    for (const auto& [cell, count] : found->second) sum += count;
  return sum;
}

record::ThreadInfo who(record::ThreadId thread) { return {10, 11 + thread, 0, "t"}; }

// Operations 0 and 1 are the slice's, 2 is there all the time.
SliceWatch watch() {
  return SliceWatch({0, 0, 0}, {{true, true, false}, {true, true, true}, {3, 3, 3}});
}

uint64_t calls(const SliceSeen& seen, counts::Pair edge) {
  uint64_t sum = 0;
  if (const auto found = seen.slice.edges.find(edge); found != seen.slice.edges.end())
    for (const auto& [cell, count] : found->second) sum += count;
  return sum;
}

}  // namespace

TEST_CASE("slice watch: what is not of the slice goes on, in its order") {
  SliceWatch of = watch();
  std::vector<Event> others;
  const Event outer = in(2, 900, 10), last = out(2, 900, 60);
  of.on_events(0, std::vector{outer, input(15, 3), in(0, 800, 20), out(0, 800, 50), last}, others);
  REQUIRE(others.size() == 2);
  CHECK(others[0].op == 2);
  CHECK(others[1].time_ns == 60);
}

TEST_CASE("slice watch: entries alone are calls without callers and without times") {
  SliceWatch of({0, 0, 0}, {{true, true, false}, {false, false, true}, {3, 3, 3}});
  std::vector<Event> others;
  of.on_events(0,
               std::vector{input(10, 3), in(2, 900, 15), in(0, 850, 20), in(1, 800, 22),
                           in(1, 800, 24), out(2, 900, 30), input(40, 5), in(1, 900, 50)},
               others);
  const SliceSeen seen = of.end({10, 100}, 30, {}, who);
  CHECK(others.size() == 2);
  CHECK(calls(seen, 0) == 1);
  CHECK(calls(seen, 1) == 3);
  CHECK(seen.slice.edges.empty());
  CHECK(seen.singles.singles.empty());
  CHECK(seen.singles.edges.empty());
  CHECK_FALSE(seen.slice.saw(0));
  REQUIRE(seen.threads.size() == 1);
  CHECK(seen.threads[0].calls == std::vector<uint64_t>{1, 3, 0});
}

TEST_CASE("slice watch: calls belong to the input before them, and to who called") {
  SliceWatch of = watch();
  std::vector<Event> others;
  of.on_events(0,
               std::vector{input(10, 3, record::kEarlier), in(0, 900, 20), in(1, 800, 22),
                           out(1, 800, 23), in(1, 800, 24), out(1, 800, 25), out(0, 900, 30),
                           input(40, 5), in(1, 900, 50), out(1, 900, 55)},
               others);
  const SliceSeen seen = of.end({10, 100}, 30, {}, who);
  CHECK_FALSE(seen.lost);
  CHECK(calls(seen, 0) == 1);
  CHECK(calls(seen, 1) == 3);
  CHECK(calls(seen, counts::Pair{0, 1}) == 2);
  for (const auto& [cell, count] : seen.slice.calls.at(1)) {
    CHECK_FALSE(cell.carried);
    CHECK(count == (cell.stratum.descriptor == 3 ? 2 : 1));
  }
  REQUIRE(seen.threads.size() == 1);
  CHECK(seen.threads[0].tid == 11);
  CHECK(seen.threads[0].calls == std::vector<uint64_t>{1, 3, 0});
}

TEST_CASE("slice watch: what came while probes were placed and taken away does not count") {
  SliceWatch of = watch();
  std::vector<Event> others;
  of.on_events(0,
               std::vector{in(0, 900, 5), out(0, 900, 6), input(20, 3), in(0, 900, 30),
                           out(0, 900, 31), in(0, 900, 100), out(0, 900, 101)},
               others);
  CHECK(calls(of.end({10, 100}, 30, {}, who), 0) == 1);
}

TEST_CASE("slice watch: what processes do that came without its probes is left out") {
  SliceWatch of = watch();
  std::vector<Event> others;
  for (const record::ThreadId thread : {0, 1, 2})
    of.on_events(thread, std::vector{input(20, 3), in(0, 900, 30), out(0, 900, 31)}, others);
  const auto who_is = [](record::ThreadId thread) {  // the last one has ended
    return thread == 2 ? record::ThreadInfo() : record::ThreadInfo{10 + thread, 20, 0, "t"};
  };
  SUBCASE("where some did") {
    const SliceSeen seen = of.end({10, 100}, 30, {11}, who_is);
    CHECK(calls(seen, 0) == 1);
    CHECK(seen.threads.size() == 1);
    CHECK(std::distance(seen.slice.inputs.begin(), seen.slice.inputs.end()) == 1);
    CHECK(seen.slice.inputs.begin()->second == 1);
  }
  SUBCASE("unless none came") { CHECK(calls(of.end({10, 100}, 30, {}, who_is), 0) == 3); }
}

TEST_CASE("slice watch: where records were lost the slice says so, and all hear of it") {
  SliceWatch of = watch();
  std::vector<Event> others;
  Event loss;
  loss.kind = EventKind::kLoss;
  loss.time_ns = 20;
  loss.arg = 1;
  of.on_events(0, std::vector{in(0, 900, 15), loss}, others);
  CHECK(others.size() == 1);
  CHECK(of.end({10, 100}, 30, {}, who).lost);
}

TEST_CASE("slice watch: what is there all the time is a caller, too") {
  SliceWatch of = watch();
  std::vector<Event> others;
  of.on_events(0, std::vector{in(2, 900, 20), in(1, 800, 22), out(1, 800, 23), out(2, 900, 30)},
               others);
  CHECK(others.size() == 2);
  const SliceSeen seen = of.end({10, 100}, 30, {}, who);
  CHECK(calls(seen, counts::Pair{2, 1}) == 1);
  CHECK(calls(seen, 2) == 0);
}

TEST_CASE("slice watch: executions that began in the slice and returned in it are told singly") {
  SliceWatch of = watch();
  std::vector<Event> others;
  of.on_events(
      0,
      std::vector{in(0, 900, 5), in(1, 800, 22), out(1, 800, 30), out(0, 900, 35), in(0, 900, 40),
                  in(1, 800, 42), out(1, 800, 52), out(0, 900, 60), in(1, 800, 90)},
      others);
  of.on_events(1, std::vector{out(1, 800, 30)}, others);
  const SliceSeen seen = of.end({10, 100}, 30, {}, who);
  REQUIRE(seen.singles.singles.size() == 3);
  CHECK(seen.singles.singles[0].duration_ns == 8);
  const singles::Single& outer = seen.singles.singles[1];
  CHECK(outer.operation == 0);
  CHECK(outer.duration_ns == 20);
  CHECK(outer.probes_ns == 6);
  CHECK(outer.weight == doctest::Approx(90.0 / 70));
  CHECK(outer.outermost);
  CHECK_FALSE(seen.singles.singles[2].outermost);
  CHECK(seen.singles.edges.at(1).cut == 1);
  CHECK(seen.singles.edges.at(1).orphans == 1);
  CHECK(seen.singles.edges.count(0) == 0);
}
