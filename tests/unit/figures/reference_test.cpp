// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>

#include "figures/metric.h"
#include "scene.h"

using namespace compmond;
using namespace compmond::figures;
using trace::in;
using trace::out;

namespace {

// The reference example "file host": FileHandler -> FileEncrypter -> FSWriter.
constexpr OperationId kHandler = 0, kEncrypter = 1, kWriter = 2;

std::vector<uint64_t> raws(const std::vector<Figures>& figures) {
  std::vector<uint64_t> all;
  for (const Figures& f : figures) all.push_back(f.raw_ns / kMs);
  return all;
}
std::vector<uint64_t> reals(const std::vector<Figures>& figures) {
  std::vector<uint64_t> all;
  for (const Figures& f : figures) all.push_back(f.real_ns / kMs);
  return all;
}

using Values = std::vector<uint64_t>;

}  // namespace

TEST_CASE("figures: the file host's chain gives raw 1800/1300/300 and real 500/1000/300") {
  Scene scene({0, 1, 2}, {-1, -1, -1});
  scene.feed(0, {in(kHandler, 900, 0), in(kEncrypter, 800, 200 * kMs), in(kWriter, 700, 700 * kMs),
                 out(kWriter, 700, 1000 * kMs), out(kEncrypter, 800, 1500 * kMs),
                 out(kHandler, 900, 1800 * kMs)});
  for (const Filter& filter : {Filter{}, Filter{{}, {0}, {}, 0}}) {  // from totals, from executions
    const Result result = scene.figures(2000 * kMs, {0, 2000 * kMs}, filter);
    CHECK(raws(result.components) == Values{1800, 1300, 300});
    CHECK(reals(result.components) == Values{500, 1000, 300});
    REQUIRE(result.edges.size() == 3);
    CHECK(std::tuple(result.edges[0].from, result.edges[0].to) == std::tuple(-1, 0));
    CHECK(std::tuple(result.edges[1].from, result.edges[1].to, result.edges[1].raw_ns) ==
          std::tuple(0, 1, 1300 * kMs));
    CHECK(std::tuple(result.edges[2].from, result.edges[2].to, result.edges[2].calls) ==
          std::tuple(1, 2, 1u));
  }
}

TEST_CASE("figures: the same three in three threads give raw = real") {
  Scene scene({0, 1, 2}, {-1, -1, -1});
  scene.feed(0, {in(kHandler, 900, 0), out(kHandler, 900, 500 * kMs)});
  scene.feed(1, {in(kEncrypter, 900, 0), out(kEncrypter, 900, 1000 * kMs)});
  scene.feed(2, {in(kWriter, 900, 100 * kMs), out(kWriter, 900, 400 * kMs)});
  const Result result = scene.whole(1000 * kMs);
  CHECK(raws(result.components) == Values{500, 1000, 300});
  CHECK(reals(result.components) == Values{500, 1000, 300});
  CHECK(result.threads.size() == 3);
}

TEST_CASE(
    "figures: an execution 3444-4449 ms under the four reference windows gives 0, 1005, 556, 449 "
    "ms") {
  const std::vector<std::tuple<uint64_t, uint64_t, uint64_t>> reference = {
      {1900, 3400, 0}, {3000, 4500, 1005}, {2500, 4000, 556}, {4000, 5500, 449}};
  for (const bool still_open : {false, true}) {
    CAPTURE(still_open);
    Scene scene({0}, {-1});
    scene.feed(0, {in(0, 900, 3444 * kMs)});
    if (!still_open) scene.feed(0, {out(0, 900, 4449 * kMs)});
    for (const auto& [from, to, expected] : reference) {
      const Result result =
          scene.figures(still_open ? 4449 * kMs : 6000 * kMs, {from * kMs, to * kMs});
      CHECK(result.operations[0].raw_ns == expected * kMs);
      CHECK(result.operations[0].real_ns == expected * kMs);
      CHECK(result.components[0].real_ns == expected * kMs);
      CHECK(result.operations[0].executions == (expected > 0));
      CHECK_FALSE(result.partial);
    }
  }
}

TEST_CASE("figures: with nested executions the reference windows subtract their clipped parts") {
  // 3444-4449 with nested 3500-3700 and 3900-4100, the latter with 3950-4050 nested in turn.
  Scene scene({0, 1, 2}, {-1, -1, -1});
  scene.feed(0, {in(0, 900, 3444 * kMs), in(1, 800, 3500 * kMs), out(1, 800, 3700 * kMs),
                 in(1, 800, 3900 * kMs), in(2, 700, 3950 * kMs), out(2, 700, 4050 * kMs),
                 out(1, 800, 4100 * kMs), out(0, 900, 4449 * kMs)});
  const auto real = [&](uint64_t from, uint64_t to) {
    return reals(scene.figures(6000 * kMs, {from * kMs, to * kMs}).components);
  };
  CHECK(real(1900, 3400) == Values{0, 0, 0});
  CHECK(real(3000, 4500) == Values{1005 - 400, 300, 100});
  CHECK(real(2500, 4000) == Values{556 - 300, 250, 50});
  CHECK(real(4000, 5500) == Values{449 - 100, 50, 50});
}

TEST_CASE("figures: nested executions still open count up to now, each time once, in any window") {
  Scene scene({0, 1, 2}, {-1, -1, -1});
  scene.feed(0, {in(0, 900, 0), in(1, 800, 10), out(1, 800, 30), in(1, 800, 40), in(2, 700, 50),
                 out(2, 700, 55), in(2, 700, 60)});
  const Result whole = scene.whole(100);
  CHECK(whole.components[0].real_ns == 20);
  CHECK(whole.components[1].real_ns == 20 + 15);
  CHECK(whole.components[2].real_ns == 5 + 40);
  CHECK(whole.components[0].raw_ns == 100);
  CHECK(whole.components[1].raw_ns == 20 + 60);
  CHECK(whole.components[2].open == 1);
  const Result part = scene.figures(100, {25, 80});
  CHECK(part.components[0].real_ns == 10);
  CHECK(part.components[1].real_ns == 5 + 15);
  CHECK(part.components[2].real_ns == 5 + 20);
  CHECK(part.components[0].open == 1);
  CHECK(part.components[0].calls == 0);
  CHECK(part.components[1].calls == 1);
  CHECK(scene.figures(100, {0, 35}).components[2].open == 0);
}

TEST_CASE("metrics: A runs 500 ms twice, B 1000 ms once, C 300 ms once, D never") {
  Scene scene({0, 1, 2, 3}, {-1, -1, -1, -1});
  uint64_t now = 0;
  for (const auto& [op, ms] :
       std::vector<std::pair<OperationId, uint64_t>>{{0, 500}, {1, 1000}, {0, 500}, {2, 300}}) {
    scene.feed(0, {in(op, 900, now), out(op, 900, now + ms * kMs)});
    now += ms * kMs;
  }
  const Result result = scene.whole(now);
  const auto hotness = [&](const char* name) {
    std::vector<int> rounded;
    REQUIRE(metric(name));
    for (double h : metric(name)->hotness(result.components))
      rounded.push_back(int(std::lround(h)));
    return rounded;
  };
  CHECK(hotness("mean") == std::vector<int>{50, 100, 30, 0});
  CHECK(hotness("normalized-mean") == std::vector<int>{29, 100, 0, 0});
  CHECK(hotness("overall") == std::vector<int>{100, 100, 30, 0});
  CHECK(hotness("calls") == std::vector<int>{100, 50, 50, 0});
  CHECK(hotness("maximum") == std::vector<int>{50, 100, 30, 0});
  CHECK(hotness("p99") == std::vector<int>{50, 100, 30, 0});
}

TEST_CASE("metrics: nothing executed is 0 everywhere, one alone is 100 everywhere") {
  std::vector<Figures> figures(3);
  for (const auto& m : metrics()) CHECK(m->hotness(figures) == std::vector<double>{0, 0, 0});
  figures[1].calls = figures[1].executions = 2;
  figures[1].net_real_ns = figures[1].max_ns = figures[1].p99_ns = 10;
  figures[1].violations = figures[1].violating_now = 1;
  figures[1].cpu_ns = 4;
  figures[1].deviation_ns = -3;
  for (const auto& m : metrics()) {
    CAPTURE(m->name());
    CHECK(m->hotness(figures) == std::vector<double>{0, 100, 0});
    CHECK(m->hotness({}).empty());
  }
}

TEST_CASE("metrics: time that is the cost of probes alone makes nothing hot") {
  std::vector<Figures> figures(2);
  for (Figures& f : figures) f.calls = f.executions = 2;
  figures[0].real_ns = 1000;
  figures[1].real_ns = figures[1].net_real_ns = 10;
  for (const char* name : {"overall", "mean", "normalized-mean"})
    CHECK(metric(name)->hotness(figures) == std::vector<double>{0, 100});
}

TEST_CASE("metrics: own-share is of the window's length, whatever the others take") {
  std::vector<Figures> figures(3);
  figures[0].executions = figures[1].executions = figures[2].executions = 1;
  figures[0].net_real_ns = 500, figures[1].net_real_ns = 250, figures[2].net_real_ns = 3000;
  HeatChoice choice;
  choice.window_ns = 1000;
  const Metric& share = *metric("own-share");
  CHECK(heat(share, scale_of(share, figures, choice), figures) == std::vector<double>{50, 25, 100});
}

TEST_CASE("metrics: deviation ranks what went up and what went down, by how far") {
  std::vector<Figures> figures(4);
  for (Figures& f : figures) f.executions = 1;
  figures[0].deviation_ns = 400, figures[1].deviation_ns = -200, figures[2].deviation_ns = 0;
  CHECK(metric("deviation")->hotness(figures) == std::vector<double>{100, 50, 0, 0});
}

TEST_CASE("heat: below the floor nothing is hot, not even the hottest") {
  std::vector<Figures> figures(2);
  figures[0].executions = figures[1].executions = 1;
  figures[0].net_real_ns = 6'500, figures[1].net_real_ns = 3'000;
  HeatChoice choice;
  choice.window_ns = 5'000'000'000;
  choice.floor_share = 0.01;
  for (const char* name : {"overall", "own-share"})
    CHECK(heat(*metric(name), scale_of(*metric(name), figures, choice), figures) ==
          std::vector<double>{0, 0});
  // Of single calls and of counts there is no floor: they may be few and long.
  figures[0].calls = 1;
  for (const char* name : {"mean", "calls"})
    CHECK(heat(*metric(name), scale_of(*metric(name), figures, choice), figures)[0] == 100);
  figures[0].net_real_ns = 50'000'000;  // 1 %
  const Metric& overall = *metric("overall");
  CHECK(heat(overall, scale_of(overall, figures, choice), figures) == std::vector<double>{100, 0});
}

TEST_CASE("heat: relative to the run, amounts are compared in as much time, single calls as such") {
  std::vector<Figures> now(2), run(2);
  for (Figures* f : {&now[0], &now[1], &run[0], &run[1]}) f->executions = 1;
  now[0].net_real_ns = 100, now[0].max_ns = 10;
  run[0].net_real_ns = 1000, run[1].net_real_ns = 4000, run[0].max_ns = 40;
  HeatChoice choice;
  choice.scale = HeatScale::kRun;
  choice.window_ns = 1'000, choice.run_ns = 10'000, choice.run = &run;
  const auto hot = [&](const char* name) {
    return heat(*metric(name), scale_of(*metric(name), now, choice), now);
  };
  CHECK(hot("overall") == std::vector<double>{25, 0});  // of 4000 in ten times the time
  CHECK(hot("maximum") == std::vector<double>{25, 0});
}

TEST_CASE("heat: of a whole CPU, amounts of time alone") {
  std::vector<Figures> figures(2);
  figures[0].executions = figures[1].executions = 1;
  figures[0].net_real_ns = 300, figures[1].net_real_ns = 4'000;
  figures[0].calls = 7;
  HeatChoice choice;
  choice.scale = HeatScale::kWall;
  choice.window_ns = 1'000;
  const Metric &overall = *metric("overall"), &calls = *metric("calls");
  CHECK(heat(overall, scale_of(overall, figures, choice), figures) == std::vector<double>{30, 100});
  CHECK(scale_of(overall, figures, choice).of == HeatScale::kWall);
  CHECK(scale_of(calls, figures, choice).of == HeatScale::kWindow);
}

TEST_CASE("heat: what only waits makes nothing hot, and keeps its time") {
  Scene scene({0, 0, 1}, {-1, -1});
  scene.model.waits = {0, 1, 0};
  scene.feed(0, {in(0, 900, 0), out(0, 900, 100 * kMs), in(1, 900, 100 * kMs),
                 out(1, 900, 900 * kMs), in(2, 900, 900 * kMs), out(2, 900, 950 * kMs)});
  const Result result = scene.whole(1000 * kMs);
  CHECK(reals(result.components) == Values{900, 50});
  CHECK(result.working[0].net_real_ns == 100 * kMs);
  CHECK(result.working[0].max_ns == 100 * kMs);
  CHECK(metric("overall")->hotness(result.working) == std::vector<double>{100, 50});
  CHECK(metric("overall")->hotness(result.working_operations) == std::vector<double>{100, 0, 50});
}

TEST_CASE("metrics: times from samples rank by those that need no calls") {
  std::vector<Figures> figures(3);
  for (Figures& f : figures) f.sampled = true;
  figures[0].net_real_ns = 200, figures[0].cpu_ns = 10;  // waits
  figures[1].net_real_ns = 50, figures[1].cpu_ns = 40;
  CHECK(metric("overall")->hotness(figures) == std::vector<double>{100, 25, 0});
  CHECK(metric("on-cpu")->hotness(figures) == std::vector<double>{25, 100, 0});
  std::vector<std::string_view> enough;
  for (const auto& m : metrics())
    if (m->basis() != figures::Basis::kCalls) enough.push_back(m->name());
  CHECK(enough == std::vector<std::string_view>{"overall", "on-cpu", "own-share", "deviation"});
}

TEST_CASE("metrics: are listed in order, each found by its name") {
  CHECK(metric("") == metrics().front().get());
  std::vector<std::string_view> names;
  for (const auto& m : metrics()) {
    names.push_back(m->name());
    CHECK(metric(m->name()) == m.get());
    CHECK_FALSE(m->description().empty());
  }
  CHECK(names == std::vector<std::string_view>{"overall", "on-cpu", "own-share", "deviation",
                                               "mean", "normalized-mean", "calls", "maximum", "p99",
                                               "slo-violations"});
  CHECK(metric("none") == nullptr);
}
