// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "scene.h"

using namespace compmond;
using namespace compmond::figures;
using record::Event;
using trace::in;
using trace::out;

namespace {

// Operations 0 and 1 belong to component 0, 2 to component 1 inside it, 3 to component 2.
Scene family(size_t budget = 64 << 20) { return Scene({0, 0, 1, 2}, {-1, 0, -1}, budget); }

const Filter kFromExecutions{{}, {0, 1, 2}, {}, 0};

}  // namespace

TEST_CASE(
    "figures: recursion and calls within a component count once in raw time, and are no edges") {
  Scene scene = family();
  scene.feed(
      0, {in(0, 900, 0), in(1, 800, 10), in(0, 700, 20), in(2, 600, 25), in(0, 500, 30),
          out(0, 500, 40), out(2, 600, 50), out(0, 700, 60), out(1, 800, 80), out(0, 900, 100)});
  for (const Filter& filter : {Filter{}, kFromExecutions}) {
    const Result result = scene.figures(100, {0, 100}, filter);
    CHECK(result.operations[0].raw_ns == 100);
    CHECK(result.operations[1].raw_ns == 70);
    CHECK(result.components[0].raw_ns == 100);
    CHECK(result.components[0].real_ns == 100 - 25 + 10);
    CHECK(result.components[0].calls == 4);
    CHECK(result.components[0].mean_ns == (100 + 70 + 40 + 10) / 4);
    CHECK(result.components[0].min_ns == 10);
    CHECK(result.components[0].max_ns == 100);
    CHECK(result.subtrees[0].calls == 5);
    CHECK(result.subtrees[0].real_ns == 100);
    CHECK(result.subtrees[1].real_ns == 15);
    REQUIRE(result.edges.size() == 3);
    CHECK(std::tuple(result.edges[0].from, result.edges[0].to, result.edges[0].calls) ==
          std::tuple(-1, 0, 1u));
    CHECK(std::tuple(result.edges[1].from, result.edges[1].to, result.edges[1].raw_ns) ==
          std::tuple(0, 1, 25u));
    const Edge& back = result.edges[2];  // its time is in that of component 0 already
    CHECK(std::tuple(back.from, back.to, back.calls, back.raw_ns) == std::tuple(1, 0, 1u, 0u));
  }
}

TEST_CASE(
    "figures: the probes' cost is taken out, never below 0, and a large correction is uncertain") {
  Scene scene = family();
  scene.model.inside_ns = {5, 0, 7, 100};
  scene.model.outside_ns = {50, 0, 10, 4};
  scene.feed(0, {in(0, 900, 0), in(2, 800, 100), out(2, 800, 150), in(2, 800, 200),
                 out(2, 800, 250), in(3, 800, 300, record::kEntryOnly), in(3, 800, 400),
                 out(3, 800, 450), out(0, 900, 1000)});
  for (const Filter& filter : {Filter{}, kFromExecutions}) {
    const Result result = scene.figures(1000, {0, 1000}, filter);
    CHECK(result.operations[0].net_real_ns == 850 - 5 - 2 * 10 - 2 * 4);
    CHECK_FALSE(result.operations[0].uncertain);
    CHECK(result.operations[2].net_real_ns == 100 - 2 * 7);
    CHECK(result.operations[3].real_ns == 50);
    CHECK(result.operations[3].net_real_ns == 0);
    CHECK(result.operations[3].uncertain);
    CHECK(result.operations[3].calls == 2);
    CHECK(result.operations[3].executions == 1);
    CHECK(result.components[2].uncertain);
    CHECK_FALSE(result.subtrees[0].uncertain);
    CHECK(result.subtrees[0].net_real_ns ==
          result.components[0].net_real_ns + result.components[1].net_real_ns);
    CHECK_FALSE(result.operations[1].uncertain);
  }
}

TEST_CASE("figures: percentiles are of the raw times of executions that ended in the window") {
  Scene scene = family();
  uint64_t now = 0;
  for (uint64_t i = 1; i <= 100; ++i) {
    scene.feed(0, {in(3, 900, now), out(3, 900, now + i)});
    now += 1000;
  }
  for (const Filter& filter : {Filter{}, kFromExecutions}) {
    const Figures f = scene.figures(now, {0, now}, filter).operations[3];
    CHECK(std::tuple(f.p50_ns, f.p90_ns, f.p99_ns, f.mean_ns, f.min_ns, f.max_ns) ==
          std::tuple(50u, 90u, 99u, 50u, 1u, 100u));
  }
  const Figures f = scene.figures(now, {50'000, 60'000}).operations[3];
  CHECK(std::tuple(f.calls, f.min_ns, f.max_ns, f.closed[0]) == std::tuple(10u, 51u, 60u, 10u));
  const Figures none = scene.figures(now, {50'500, 50'600}).operations[3];
  CHECK(std::tuple(none.calls, none.min_ns, none.max_ns, none.p99_ns) ==
        std::tuple(0u, 0u, 0u, 0u));
}

TEST_CASE(
    "figures: filters let through what they name, and real times stay those of the executions") {
  Scene scene = family();
  scene.feed(0, {in(0, 900, 0), in(2, 800, 10), out(2, 800, 40), in(3, 800, 50), out(3, 800, 55),
                 out(0, 900, 100)});
  scene.feed(1, {in(3, 900, 0), out(3, 900, 30)});
  const auto real = [&](const Filter& filter) {
    std::vector<uint64_t> all;
    for (const Figures& f : scene.figures(100, {0, 100}, filter).components)
      all.push_back(f.real_ns);
    return all;
  };
  CHECK(real({}) == std::vector<uint64_t>{65, 30, 35});
  CHECK(real({{0}, {}, {}, 0}) == std::vector<uint64_t>{65, 30, 0});  // with what it contains
  CHECK(real({{1}, {}, {}, 0}) == std::vector<uint64_t>{0, 30, 0});
  CHECK(real({{}, {1}, {}, 0}) == std::vector<uint64_t>{0, 0, 30});
  CHECK(real({{}, {}, {3}, 0}) == std::vector<uint64_t>{0, 0, 35});
  CHECK(real({{}, {}, {}, 30}) == std::vector<uint64_t>{65, 30, 30});
  CHECK(real({{2}, {0}, {}, 0}) == std::vector<uint64_t>{0, 0, 5});
  CHECK(scene.figures(100, {0, 100}, {{}, {1}, {}, 0}).threads.size() == 1);
}

TEST_CASE("figures: threads have calls, and the raw time of their bottom executions") {
  Scene scene = family();
  scene.feed(7,
             {in(0, 900, 0), in(2, 800, 10), out(2, 800, 40), out(0, 900, 100), in(3, 900, 110)});
  const Result result = scene.whole(150);
  REQUIRE(result.threads.size() == 1);
  CHECK(std::tuple(result.threads[0].calls, result.threads[0].raw_ns, result.threads[0].info.tid) ==
        std::tuple(3u, 140u, 8u));
  const Result part = scene.figures(150, {50, 120});
  CHECK(std::tuple(part.threads[0].calls, part.threads[0].raw_ns) == std::tuple(1u, 60u));
}

TEST_CASE(
    "figures: a window older than the retained executions is partial, with calls and real times "
    "from tiles") {
  Scene scene = family(0);
  uint64_t now = 0;
  for (int i = 0; i < 30'000; ++i, now += kMs / 10)
    scene.feed(0, {in(0, 900, now), in(2, 800, now + 20'000), out(2, 800, now + 50'000),
                   out(0, 900, now + 100'000)});
  scene.feed(0, {in(3, 900, now)});
  const Result old = scene.figures(now + 5 * kMs, {100 * kMs, 200 * kMs});
  CHECK(old.partial);
  CHECK(old.operations[0].calls == 1000);
  CHECK(old.operations[0].real_ns == 70 * kMs);
  CHECK(old.components[1].real_ns == 30 * kMs);
  CHECK(old.operations[0].max_ns == 0);
  const Result recent = scene.figures(now + 5 * kMs, {now - 100 * kMs, now + 2 * kMs});
  CHECK_FALSE(recent.partial);
  CHECK(recent.operations[0].real_ns == 70 * kMs);
  CHECK(recent.operations[3].real_ns == 2 * kMs);
  const Result both = scene.figures(now + 5 * kMs, {100 * kMs, now + 5 * kMs});
  CHECK(both.partial);
  CHECK(both.operations[3].real_ns == 5 * kMs);
  CHECK(both.operations[0].calls == 29'000);
  const Result whole = scene.whole(now + 5 * kMs);
  CHECK_FALSE(whole.partial);
  CHECK(whole.operations[0].calls == 30'000);
}

TEST_CASE(
    "last seconds: follows now, and is the whole run where that is shorter or none are asked for") {
  history::Checkpoint checkpoint;
  checkpoint.start_ns = 1000 * kMs;
  checkpoint.as_of_ns = 9000 * kMs;
  const auto window = [&](double seconds) {
    const Window w = last_seconds(checkpoint, seconds);
    return std::tuple(w.start_ns / kMs, w.end_ns / kMs);
  };
  CHECK(window(2.5) == std::tuple(6500u, 9000u));
  CHECK(window(0) == std::tuple(1000u, 9000u));
  CHECK(window(-1) == std::tuple(1000u, 9000u));
  CHECK(window(60) == std::tuple(1000u, 9000u));
  CHECK(window(1e300) == std::tuple(1000u, 9000u));
}

TEST_CASE("figures: a filter by operations of a component has raw times that hold its real ones") {
  // Component 0 has operations 0, 1 and 2; 0 calls 1, which calls 2 and, by component 1, 1 again.
  Scene s({0, 0, 0, 1}, {-1, -1});
  s.feed(0, {in(0, 900, 0), in(1, 800, 10 * kMs), in(2, 700, 20 * kMs), out(2, 700, 30 * kMs),
             in(3, 700, 40 * kMs), in(1, 600, 50 * kMs), out(1, 600, 60 * kMs),
             out(3, 700, 70 * kMs), out(1, 800, 80 * kMs), out(0, 900, 100 * kMs)});
  s.feed(1, {in(2, 900, 0), in(1, 800, 5 * kMs)});  // not ended
  const auto raw_ms = [&](std::vector<OperationId> operations, uint64_t from_ms, uint64_t to_ms) {
    const Figures& of =
        s.figures(200 * kMs, {from_ms * kMs, to_ms * kMs}, {{}, {}, std::move(operations), 0})
            .components[0];
    CHECK(of.raw_ns >= of.real_ns);
    return of.raw_ns / kMs;
  };
  CHECK(raw_ms({}, 0, 200) == 100 + 200);
  CHECK(raw_ms({1}, 0, 200) == 70 + 195);
  CHECK(raw_ms({2}, 0, 200) == 10 + 200);
  CHECK(raw_ms({1, 2}, 0, 200) == 70 + 200);
  CHECK(raw_ms({0, 2}, 0, 200) == 100 + 200);
  CHECK(raw_ms({1, 2}, 25, 55) == 30 + 30);
  CHECK(raw_ms({2}, 25, 55) == 5 + 30);
  CHECK(raw_ms({3}, 0, 200) == 0);
}
