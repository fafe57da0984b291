// SPDX-License-Identifier: Apache-2.0
#include "singles/single_store.h"

#include <doctest/doctest.h>

#include <random>

using namespace compmond;
using namespace compmond::singles;

namespace {

constexpr uint64_t kMs = 1'000'000, kSlice = 50 * kMs;

// Operation 0 takes 1 ms in three of four calls and 20 ms in one of four, wherever it begins.
Seen slice(uint64_t start_ns, std::mt19937_64& random) {
  Seen out;
  out.slice = {start_ns, start_ns + kSlice};
  out.slow_down = 1.5;
  Choice choice(out.slice);
  for (int i = 0; i < 40; ++i) {
    const uint64_t at = random() % kSlice, length = i % 4 ? kMs : 20 * kMs;
    if (at + length >= kSlice)
      ++out.edges[0].cut;
    else if (Single* kept = choice.see(0))
      *kept = {.operation = 0, .start_ns = start_ns + at, .duration_ns = length};
  }
  out.singles = choice.end();
  return out;
}

SingleStore store(uint64_t slices) {
  std::mt19937_64 random(7);
  SingleStore out;
  for (uint64_t i = 0; i < slices; ++i) out.add(slice(i * 200 * kMs, random));
  return out;
}

}  // namespace

TEST_CASE("singles: long ones weigh for those that did not fit into a slice") {
  const SingleStore of = store(500);
  const auto times = of.times({}, {0}, false);
  REQUIRE(times);
  CHECK(times->seen == 500 * kPerSlice);
  CHECK(times->mean_ns == doctest::Approx(0.75e6 + 5e6).epsilon(0.05));
  CHECK(times->p50_ns == kMs);
  CHECK(times->p90_ns == 20 * kMs);
  CHECK(times->slow_down == doctest::Approx(1.5));
  CHECK(times->uncertain_from_ns == kSlice / 4);
  CHECK(of.edges({}, {0}).cut > 0);
}

TEST_CASE("singles: only those of the window, of the operations, and outermost ones if asked for") {
  const SingleStore of = store(10);
  CHECK_FALSE(of.times({0, 10 * kMs}, {0}, false));
  CHECK_FALSE(of.times({}, {1}, false));
  CHECK(of.times({0, 200 * kMs}, {0, 1}, true)->seen == kPerSlice);
  SingleStore inner;
  inner.add({.slice = {0, kSlice},
             .singles = {{.operation = 0, .duration_ns = 5, .outermost = false}},
             .edges = {}});
  CHECK(inner.times({}, {0}, false));
  CHECK_FALSE(inner.times({}, {0}, true));
}

TEST_CASE("singles: a time of which probes may be more than a third is uncertain") {
  SingleStore of;
  of.add({.slice = {0, kSlice},
          .singles = {{.operation = 0, .duration_ns = 90, .probes_ns = 40},
                      {.operation = 0, .duration_ns = 150, .probes_ns = 40}},
          .edges = {}});
  CHECK(of.times({}, {0}, false)->uncertain_below_ns == 91);
}

TEST_CASE("singles: of a long run fewer are kept, whose weights tell of all") {
  const SingleStore of = store(20'000);
  CHECK(of.size() <= 128 * 1024);
  const auto times = of.times({}, {0}, false);
  CHECK(times->mean_ns == doctest::Approx(0.75e6 + 5e6).epsilon(0.05));
  CHECK(of.times({0, 200 * 100 * kMs}, {0}, false));
  CHECK(of.times({19'990 * 200 * kMs, UINT64_MAX}, {0}, false));
}

TEST_CASE("singles: slices with little in them are bounded, too, and empty ones are not kept") {
  constexpr uint64_t kSlices = 200'000;
  SingleStore edges, rare, empty;
  for (uint64_t i = 0; i < kSlices; ++i) {
    const Window slice{i * 200 * kMs, i * 200 * kMs + kSlice};
    edges.add({.slice = slice, .singles = {}, .edges = {{0, {.cut = 1, .orphans = 2}}}});
    Seen one{.slice = slice, .singles = {}, .edges = {}};
    empty.add(one);
    if (i % 10'000 == 0) one.singles.push_back({.operation = 0, .duration_ns = 5});
    rare.add(one);
  }
  CHECK(edges.slices() <= 32 * 1024);
  CHECK(edges.edges({(kSlices - 100) * 200 * kMs, UINT64_MAX}, {0}).cut == 100);
  CHECK(empty.slices() == 0);
  CHECK(rare.times({}, {0}, false)->seen == kSlices / 10'000);
}
