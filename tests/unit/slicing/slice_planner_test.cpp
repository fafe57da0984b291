// SPDX-License-Identifier: Apache-2.0
#include "slicing/slice_planner.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace compmond::run;

namespace {

// Operations whose loads are known: 1 / slow-down - 1 of each alone.
Loads known(const std::vector<double>& loads) {
  Loads out(std::vector<double>(loads.size(), 1000));
  for (size_t i = 0; i < loads.size(); ++i) {
    std::vector<bool> attached(loads.size());
    std::vector<uint64_t> calls(loads.size());
    std::vector<double> worst(loads.size());
    attached[i] = true;
    calls[i] = uint64_t(loads[i] / (1 + loads[i]) * 1e5);
    worst[i] = loads[i] / (1 + loads[i]) * 1e6;
    out.add({.cpu_ns = 100e6, .attached = attached, .calls = calls, .worst_per_s = worst});
  }
  return out;
}

SlicePlanner::Options options(size_t operations, double budget) {
  SlicePlanner::Options out;
  out.budget = budget;
  out.lost_per_slice_ns = 5e6;
  out.neighbours.resize(operations);
  out.seed = 7;
  return out;
}

const std::vector<double> kLoads = {3, 0.9, 0.5, 0.3, 0.3, 0.2, 0.1, 0.05, 0.001, 0.0005};

}  // namespace

TEST_CASE("slice planner: no slice slows to more than half the speed") {
  const Loads loads = known(kLoads);
  SlicePlanner planner(loads, options(kLoads.size(), 0.03));
  for (int i = 0; i < 500; ++i) {
    const SlicePlanner::Slice slice = planner.next();
    CHECK(slice.slow_down <= 2);
    CHECK(slice.slow_down ==
          doctest::Approx(1 + loads.of(slice.attach, 0) + loads.of(planner.stay(), 0)));
  }
}

TEST_CASE("slice planner: what is too hot alone never comes, all else comes") {
  const Loads loads = known(kLoads);
  SlicePlanner planner(loads, options(kLoads.size(), 0.03));
  CHECK(planner.too_hot()[0]);
  CHECK(std::ranges::count(planner.too_hot(), true) == 1);
  std::vector<int> times(kLoads.size());
  for (int i = 0; i < 300; ++i) {
    const auto slice = planner.next();
    for (size_t o = 0; o < times.size(); ++o) times[o] += slice.attach[o];
  }
  CHECK(times[0] == 0);
  for (size_t o = 1; o < 8; ++o) CHECK(times[o] >= 40);
}

TEST_CASE("slice planner: what costs next to nothing stays, and is in no slice") {
  const Loads loads = known(kLoads);
  SlicePlanner planner(loads, options(kLoads.size(), 0.03));
  const auto stay = planner.stay();
  CHECK(std::ranges::count(stay, true) == 2);
  CHECK(stay[8]);
  CHECK(stay[9]);
  for (int i = 0; i < 50; ++i) CHECK(!planner.next().attach[8]);
  CHECK(std::ranges::count(SlicePlanner(loads, options(kLoads.size(), 0.001)).stay(), true) == 0);
}

TEST_CASE("slice planner: all slices together take the budget and no more") {
  const Loads loads = known(kLoads);
  for (const double budget : {0.01, 0.03}) {
    SlicePlanner planner(loads, options(kLoads.size(), budget));
    double taken = 0, time = 0;
    for (int i = 0; i < 2000; ++i) {
      const auto slice = planner.next();
      taken += SlicePlanner::charge(double(slice.length_ns), slice.slow_down, 5e6, 1);
      time += double(slice.length_ns + slice.gap_ns);
      CHECK(slice.length_ns >= 50'000'000);
      CHECK(slice.length_ns <= 75'000'000);
    }
    INFO(budget << ": " << taken / time);
    CHECK(taken / time <= budget);
    CHECK(taken / time >= 0.7 * budget);
  }
}

TEST_CASE("slice planner: never more than a quarter of the time, whatever the budget") {
  const Loads loads = known(kLoads);
  SlicePlanner planner(loads, options(kLoads.size(), 1));
  double in = 0, time = 0;
  for (int i = 0; i < 500; ++i) {
    const auto slice = planner.next();
    in += double(slice.length_ns);
    time += double(slice.length_ns + slice.gap_ns);
  }
  CHECK(in / time <= 0.26);
}

TEST_CASE("slice planner: an operation comes with its callers and callees where there is room") {
  const std::vector<double> loads(20, 0.2);
  const Loads known_loads = known(loads);
  auto with = options(loads.size(), 0.03);
  for (size_t i = 0; i < loads.size(); ++i) with.neighbours[i] = {i ^ 1};
  SlicePlanner planner(known_loads, with);
  int alone = 0, together = 0;
  for (int i = 0; i < 300; ++i) {
    const auto slice = planner.next();
    for (size_t o = 0; o < loads.size(); o += 2) {
      together += slice.attach[o] && slice.attach[o + 1];
      alone += slice.attach[o] != slice.attach[o + 1];
    }
  }
  CHECK(together > 3 * alone);
}

TEST_CASE("slice planner: how much slices slow varies") {
  const Loads loads = known(kLoads);
  SlicePlanner planner(loads, options(kLoads.size(), 0.03));
  double least = 9, most = 1;
  for (int i = 0; i < 100; ++i) {
    const auto slice = planner.next();
    least = std::min(least, slice.slow_down);
    most = std::max(most, slice.slow_down);
  }
  CHECK(least < 1.6);
  CHECK(most > 1.85);
}

TEST_CASE("slice planner: what was never seen begins a few at a time") {
  const Loads loads(std::vector<double>(40, 1000));
  SlicePlanner planner(loads, options(40, 0.03));
  CHECK(std::ranges::count(planner.next().attach, true) <= 6);
}
