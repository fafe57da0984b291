// SPDX-License-Identifier: Apache-2.0
#include "slicing/loads.h"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

using namespace compmond::run;
using compmond::plan::See;

namespace {

// A program whose calls per second of its own CPU time are known, and what a probe costs it.
struct Program {
  std::vector<double> per_s;
  double cost_ns = 1000;

  Loads::Seen slice(const std::vector<bool>& attached, std::mt19937_64& random) const {
    double load = 0;
    for (size_t i = 0; i < per_s.size(); ++i)
      if (attached[i]) load += per_s[i] * cost_ns / 1e9;
    Loads::Seen out{.cpu_ns = 60e6, .attached = attached, .calls = {}, .worst_per_s = {}};
    for (size_t i = 0; i < per_s.size(); ++i) {
      const double expected = attached[i] ? per_s[i] * 0.06 / (1 + load) : 0;
      const auto calls = uint64_t(std::poisson_distribution<int>(expected)(random));
      out.calls.push_back(calls);
      out.worst_per_s.push_back(double(calls) / 0.06);
    }
    return out;
  }
};

Loads::Costs costs(size_t operations, double ns = 1000) {
  return {std::vector<double>(operations, ns), std::vector<double>(operations, ns / 10)};
}

std::vector<bool> drawn(size_t count, std::mt19937_64& random) {
  std::vector<bool> out(count);
  for (size_t i = 0; i < count; ++i) out[i] = std::bernoulli_distribution(0.4)(random);
  return out;
}

}  // namespace

TEST_CASE("loads: what a probe costs is learned on the target") {
  for (const double factor : {0.6, 1.0, 2.5}) {
    std::mt19937_64 random(3);
    const Program program{{200'000, 100'000, 50'000, 50'000, 20'000, 5'000, 500}, factor * 1000};
    Loads loads(costs(program.per_s.size()));
    for (int i = 0; i < 40; ++i)
      loads.add(program.slice(drawn(program.per_s.size(), random), random));
    INFO(factor << ": " << loads.factor());
    CHECK(loads.factor() == doctest::Approx(factor).epsilon(0.1));
    for (size_t i = 0; i < program.per_s.size(); ++i)
      CHECK(*loads.of(i, See::kCalls) ==
            doctest::Approx(program.per_s[i] * factor / 1e6).epsilon(0.15));
  }
}

TEST_CASE("loads: the prior holds until a dozen slices were seen") {
  std::mt19937_64 random(4);
  const Program program{{200'000, 100'000}, 3000};
  Loads loads(costs(2));
  CHECK(!loads.of(0, See::kCalls));
  CHECK(loads.of({true, true}, See::kCalls, 0.25) == doctest::Approx(0.5));
  loads.add(program.slice({true, false}, random));
  CHECK(loads.factor() == 1);
  CHECK(loads.of(0, See::kCalls));
  CHECK(!loads.of(1, See::kCalls));
}

TEST_CASE("loads: probes that seem to take more than there was make nothing too hot that is not") {
  Loads loads(costs(2, 2000));
  loads.add({.cpu_ns = 60e6,
             .attached = {true, true},
             .calls = {30'000, 3'000},
             .worst_per_s = {5e5, 5e4}});
  CHECK(*loads.of(0, See::kCalls) > 1);
  CHECK(*loads.of(1, See::kCalls) < 1);
}

TEST_CASE("loads: what other times tell is a guess of those that no slice had") {
  Loads loads(costs(3));
  loads.expect({1'000, 0, 90'000}, 0.8);  // four times what was left for the program
  CHECK(!loads.of(0, See::kCalls));
  CHECK(loads.of(0, See::kCalls, 0.25) == doctest::Approx(4.0 / 91));
  CHECK(loads.of(0, See::kEntries, 0.25) == doctest::Approx(0.4 / 91));
  CHECK(loads.of(1, See::kCalls, 0.25) == 0);
  CHECK(loads.of(2, See::kCalls, 0.25) == 0.5);  // not so much that no slice would have it
  CHECK(loads.of(2, See::kEntries, 0.25) == doctest::Approx(0.4 * 90 / 91));
  loads.add({.cpu_ns = 100e6,
             .attached = {true, false, false},
             .calls = {10'000, 0, 0},
             .worst_per_s = {1e5, 0, 0}});
  CHECK(loads.of(0, See::kCalls, 0.25) == *loads.of(0, See::kCalls));
  CHECK(*loads.of(0, See::kCalls) == doctest::Approx(0.11).epsilon(0.05));
}

TEST_CASE("loads: of a flood, in which nearly nothing was left, that is taken for a fiftieth") {
  Loads loads(costs(2));
  loads.expect({1'000, 99'000}, 0.9999);
  CHECK(loads.of(0, See::kCalls, 0.25) == doctest::Approx(0.01 * 49));
}

TEST_CASE("loads: slices of entries alone and of whole calls tell of the same program") {
  std::mt19937_64 random(7);
  const Program program{{200'000, 100'000, 50'000, 5'000}, 2000};
  Program cheaper = program;
  cheaper.cost_ns /= 10;
  Loads loads(costs(4));
  for (int i = 0; i < 20; ++i) {
    loads.add(program.slice(drawn(4, random), random));
    Loads::Seen entries = cheaper.slice(drawn(4, random), random);
    entries.see = See::kEntries;
    loads.add(std::move(entries));
  }
  INFO(loads.factor());
  CHECK(loads.factor() == doctest::Approx(2).epsilon(0.1));
  CHECK(*loads.of(0, See::kCalls) == doctest::Approx(0.4).epsilon(0.1));
  CHECK(*loads.of(0, See::kEntries) == doctest::Approx(0.04).epsilon(0.1));
}

TEST_CASE("loads: the thread on which it is most counts") {
  Loads loads(costs(1));
  loads.add({.cpu_ns = 100e6, .attached = {true}, .calls = {1000}, .worst_per_s = {100'000}});
  CHECK(*loads.of(0, See::kCalls) == doctest::Approx(0.1 * (1 + 0.01)).epsilon(0.01));
}

TEST_CASE("loads: what all would take together is told once each was seen") {
  std::mt19937_64 random(6);
  const Program program{{200'000, 100'000, 50'000}, 1000};
  Loads loads(costs(3));
  loads.add(program.slice({true, true, false}, random));
  CHECK(!loads.share({true, true, true}));
  CHECK(*loads.share({true, true, false}) == doctest::Approx(0.3 / 1.3).epsilon(0.05));
  for (int i = 0; i < 40; ++i) loads.add(program.slice(drawn(3, random), random));
  CHECK(*loads.share({true, true, true}) == doctest::Approx(0.35 / 1.35).epsilon(0.1));
  CHECK(*loads.share({false, false, false}) == 0);
}

TEST_CASE("loads: what changes is followed") {
  std::mt19937_64 random(5);
  Program program{{100'000, 50'000, 20'000}, 1000};
  Loads loads(costs(3));
  for (int i = 0; i < 64; ++i) loads.add(program.slice(drawn(3, random), random));
  program.per_s[0] = 10'000;
  for (int i = 0; i < 64; ++i) loads.add(program.slice(drawn(3, random), random));
  CHECK(*loads.of(0, See::kCalls) == doctest::Approx(0.01).epsilon(0.15));
}

TEST_CASE("loads: what was too hot for slices is looked at again when these are old") {
  std::mt19937_64 random(8);
  const Program program{{5'000'000, 50'000, 20'000}, 1000};
  Loads loads(costs(3));
  loads.add(program.slice({true, true, true}, random));
  CHECK(*loads.of(0, See::kCalls) > 2);
  for (int i = 0; i < 63; ++i) {
    CHECK(loads.of(0, See::kCalls));
    loads.add(program.slice({false, true, true}, random));
  }
  loads.add(program.slice({false, true, true}, random));
  CHECK(!loads.of(0, See::kCalls));
  CHECK(loads.of(0, See::kCalls, 0.25) == 0.5);  // a slice may have it, with little else
  CHECK(!loads.share({true, false, false}));     // it is not known any more, and not nothing
  CHECK(*loads.of(1, See::kCalls) == doctest::Approx(0.05).epsilon(0.1));
}

TEST_CASE("loads: where an operation is observed in another way its probes have another price") {
  std::mt19937_64 random(3);
  const Program program{{200'000, 5'000}};
  Loads loads(costs(2));
  for (int i = 0; i < 20; ++i) loads.add(program.slice({true, true}, random));
  CHECK(loads.of(1, See::kCalls));
  Loads::Costs others = costs(2);
  others.calls_ns[1] = 8000;
  loads.price(others);
  CHECK_FALSE(loads.of(1, See::kCalls));  // no slice had it so far
  CHECK(loads.expected_rate(1) == doctest::Approx(5e-6).epsilon(0.15));
  CHECK(loads.cost_ns(1, See::kCalls) == doctest::Approx(8000));
}
