// SPDX-License-Identifier: Apache-2.0
#include "slicing/slice_planner.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <utility>

using namespace compmond::run;
using compmond::plan::See;

namespace {

// Operations whose loads are known: 1 / slow-down - 1 of each alone.
Loads known(const std::vector<double>& loads, double entries_ns = 1000) {
  Loads out(
      {std::vector<double>(loads.size(), 1000), std::vector<double>(loads.size(), entries_ns)});
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

SlicePlanner::Options options(size_t operations) {
  SlicePlanner::Options out;
  out.lost_per_slice_ns = 5e6;
  out.operations = operations;
  out.seed = 7;
  return out;
}

std::vector<bool> all(size_t operations) { return std::vector<bool>(operations, true); }

SlicePlanner::Neighbours none() { return SlicePlanner::Neighbours(64); }

const std::vector<double> kLoads = {3, 0.9, 0.5, 0.3, 0.3, 0.2, 0.1, 0.05, 0.001, 0.0005};

}  // namespace

TEST_CASE("slice planner: no slice slows to more than half the speed") {
  const Loads loads = known(kLoads);
  SlicePlanner planner(loads, options(kLoads.size()));
  for (int i = 0; i < 500; ++i) {
    const SlicePlanner::Slice slice = planner.next(all(kLoads.size()), none(), 0.03);
    CHECK(slice.slow_down <= 2);
    CHECK(slice.slow_down == doctest::Approx(1 + loads.of(slice.attach, slice.see, 0)));
  }
}

TEST_CASE("slice planner: what is too hot alone never comes, all else comes") {
  const Loads loads = known(kLoads);
  SlicePlanner planner(loads, options(kLoads.size()));
  CHECK(planner.too_hot()[0]);
  CHECK(std::ranges::count(planner.too_hot(), true) == 1);
  std::vector<int> times(kLoads.size());
  for (int i = 0; i < 300; ++i) {
    const auto slice = planner.next(all(kLoads.size()), none(), 0.03);
    for (size_t o = 0; o < times.size(); ++o) times[o] += slice.attach[o];
  }
  CHECK(times[0] == 0);
  for (size_t o = 1; o < 8; ++o) CHECK(times[o] >= 40);
}

TEST_CASE("slice planner: what costs little can be told first, and all of it in the end") {
  const std::vector<double> loads = {0.8,  0.8,  0.7, 0.6, 0.6,  0.5,
                                     0.15, 0.15, 0.1, 0.1, 0.05, 0.02};
  const Loads known_loads = known(loads);
  SlicePlanner planner(known_loads, options(loads.size()));
  std::vector<int> times(loads.size());
  const auto told = [&] { return std::ranges::count_if(times, [](int n) { return n >= 8; }); };
  for (int i = 0; i < 15; ++i) {
    const auto slice = planner.next(all(loads.size()), none(), 0.03);
    for (size_t o = 0; o < times.size(); ++o) times[o] += slice.attach[o];
  }
  CHECK(told() >= 5);
  for (int i = 0; i < 75; ++i) {
    const auto slice = planner.next(all(loads.size()), none(), 0.03);
    for (size_t o = 0; o < times.size(); ++o) times[o] += slice.attach[o];
  }
  CHECK(told() == 12);
}

TEST_CASE("slice planner: what is not away is in no slice") {
  const Loads loads = known(kLoads);
  SlicePlanner planner(loads, options(kLoads.size()));
  std::vector<bool> away(kLoads.size(), true);
  away[3] = away[8] = false;
  for (int i = 0; i < 50; ++i) {
    const auto slice = planner.next(away, none(), 0.03);
    CHECK_FALSE(slice.attach[3]);
    CHECK_FALSE(slice.attach[8]);
  }
}

TEST_CASE("slice planner: all slices together take the budget and no more") {
  const Loads loads = known(kLoads);
  for (const auto& [budget, others_ns] : {std::pair(0.01, 0.0), {0.03, 0.0}, {0.03, 4e7}}) {
    SlicePlanner planner(loads, options(kLoads.size()));
    double taken = 0, time = 0;
    for (int i = 0; i < 2000; ++i) {
      const auto slice = planner.next(all(kLoads.size()), none(), budget, others_ns);
      taken += SlicePlanner::charge(double(slice.length_ns), slice.slow_down, 5e6 + others_ns, 1);
      time += double(slice.length_ns + slice.gap_ns);
      CHECK(slice.length_ns >= 50'000'000);
      CHECK(slice.length_ns <= 75'000'000);
    }
    INFO(budget << ": " << taken / time);
    CHECK(taken / time <= 1.02 * budget);  // pauses are drawn
    CHECK(taken / time >= 0.7 * budget);
  }
}

TEST_CASE("slice planner: never more than a quarter of the time, whatever the budget") {
  const Loads loads = known(kLoads);
  SlicePlanner planner(loads, options(kLoads.size()));
  double in = 0, time = 0;
  for (int i = 0; i < 500; ++i) {
    const auto slice = planner.next(all(kLoads.size()), none(), 1);
    in += double(slice.length_ns);
    time += double(slice.length_ns + slice.gap_ns);
  }
  CHECK(in / time <= 0.26);
}

TEST_CASE("slice planner: an operation comes with its callers and callees where there is room") {
  const std::vector<double> loads(20, 0.2);
  const Loads known_loads = known(loads);
  SlicePlanner::Neighbours pairs(loads.size());
  for (size_t i = 0; i < loads.size(); ++i) pairs[i] = {i ^ 1};
  SlicePlanner planner(known_loads, options(loads.size()));
  int alone = 0, together = 0;
  for (int i = 0; i < 300; ++i) {
    const auto slice = planner.next(all(loads.size()), pairs, 0.03);
    for (size_t o = 0; o < loads.size(); o += 2) {
      together += slice.attach[o] && slice.attach[o + 1];
      alone += slice.attach[o] != slice.attach[o + 1];
    }
  }
  CHECK(together > 3 * alone);
}

TEST_CASE("slice planner: how much slices slow varies") {
  const Loads loads = known(kLoads);
  SlicePlanner planner(loads, options(kLoads.size()));
  double least = 9, most = 1;
  for (int i = 0; i < 100; ++i) {
    const auto slice = planner.next(all(kLoads.size()), none(), 0.03);
    least = std::min(least, slice.slow_down);
    most = std::max(most, slice.slow_down);
  }
  CHECK(least < 1.6);
  CHECK(most > 1.85);
}

TEST_CASE("slice planner: it varies also where all fit together") {
  const Loads loads = known({0.02, 0.07});
  SlicePlanner planner(loads, options(2));
  int both = 0, first = 0, second = 0;
  for (int i = 0; i < 200; ++i) {
    const auto slice = planner.next(all(2), none(), 0.03);
    both += slice.attach[0] && slice.attach[1];
    first += slice.attach[0] && !slice.attach[1];
    second += slice.attach[1] && !slice.attach[0];
  }
  CHECK(both > 60);
  CHECK(first > 20);
  CHECK(second > 20);
}

TEST_CASE("slice planner: what was never seen begins a few at a time") {
  const Loads loads({std::vector<double>(40, 1000), std::vector<double>(40, 1000)});
  SlicePlanner planner(loads, options(40));
  CHECK(std::ranges::count(planner.next(all(40), none(), 0.03).attach, true) <= 6);
}

TEST_CASE("slice planner: every other slice sees entries alone where that is far cheaper") {
  const std::vector<double> loads = {3, 0.9, 0.9, 0.8, 0.7, 0.7, 0.6, 0.5};
  const Loads known_loads = known(loads, 100);
  SlicePlanner planner(known_loads, options(loads.size()));
  CHECK(std::ranges::count(planner.too_hot(), true) == 0);
  int entries = 0;
  See last = See::kCalls;
  ptrdiff_t with_entries = 0, with_calls = 0;
  for (int i = 0; i < 100; ++i) {
    const auto slice = planner.next(all(loads.size()), none(), 0.03);
    CHECK(slice.slow_down <= 2);
    if (i < 6) CHECK((slice.see == See::kEntries) == (i % 3 < 2));
    if (i > 60) CHECK((slice.see == See::kEntries) != (last == See::kEntries));
    last = slice.see;
    if (slice.see == See::kEntries && slice.attach[0]) ++entries;
    if (slice.see == See::kCalls) CHECK_FALSE(slice.attach[0]);  // it is too hot for that
    (slice.see == See::kEntries ? with_entries : with_calls) +=
        std::ranges::count(slice.attach, true);
  }
  CHECK(entries >= 25);
  CHECK(with_entries > 3 * with_calls);
}

TEST_CASE("slice planner: what is too hot but for its entries is in slices of these") {
  const Loads loads = known({1.2, 0.1}, 700);
  SlicePlanner planner(loads, options(2));
  int with = 0;
  for (int i = 0; i < 40; ++i) {
    const auto slice = planner.next(all(2), none(), 0.03);
    if (slice.attach[0]) CHECK(slice.see == See::kEntries);
    with += slice.attach[0];
  }
  CHECK(with >= 10);
}

TEST_CASE("slice planner: whole calls are seen where all fit, or entries are hardly cheaper") {
  for (const auto& [load, entries_ns] : {std::pair(0.1, 100.0), {0.7, 600.0}}) {
    const Loads loads = known(std::vector<double>(4, load), entries_ns);
    SlicePlanner planner(loads, options(4));
    for (int i = 0; i < 20; ++i) CHECK(planner.next(all(4), none(), 0.03).see == See::kCalls);
  }
}
