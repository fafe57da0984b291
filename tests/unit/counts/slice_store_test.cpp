// SPDX-License-Identifier: Apache-2.0
#include "counts/slice_store.h"

#include <doctest/doctest.h>

#include <vector>

using namespace compmond;
using namespace compmond::counts;

namespace {

constexpr uint64_t kMs = 1'000'000, kSecond = 1'000 * kMs;

Inputs inputs(double count) {
  Inputs out;
  out.descriptor[3] = out.size[12] = count;
  return out;
}

// 1,000 inputs per second; in slices of 50 ms, 20 of them, with two calls each.
Slice slice(uint64_t start_ns, double slow_down) {
  Slice out{.start_ns = start_ns,
            .end_ns = start_ns + 50 * kMs,
            .slow_down = slow_down,
            .attached = {true, false},
            .seen = {},
            .inputs = {},
            .calls = {},
            .edges = {}};
  for (const bool first : {false, true})
    for (const bool complete : {false, true}) {
      const Cell cell{.stratum = {3, 12}, .first = first, .complete = complete};
      out.inputs[cell] += complete ? 19 : 1;
      out.calls[0][cell] += complete ? 38 : 2;
    }
  return out;
}

SliceStore store(uint64_t seconds) {
  SliceStore out;
  out.inputs().begin(0);
  for (uint64_t t = 1; t <= seconds * 10; ++t)
    out.inputs().add(t * 100 * kMs, {.inputs = inputs(100)});
  for (uint64_t s = 0; s < seconds * 2; ++s)
    out.add(slice(s * 500 * kMs + 100 * kMs, s % 2 ? 1.2 : 1.8));
  return out;
}

std::vector<Count> count(const SliceStore& of, std::vector<Window> times) {
  return of.count(times, 2);
}

}  // namespace

TEST_CASE("slice store: calls are those of the inputs of the times that are asked for") {
  const SliceStore of = store(40);
  const Count whole = count(of, {{0, 40 * kSecond}})[0];
  REQUIRE(whole.told());
  CHECK(whole.value == doctest::Approx(80'000).epsilon(0.01));
  const Count parts = count(of, {{0, 10 * kSecond}, {20 * kSecond, 40 * kSecond}})[0];
  REQUIRE(parts.told());
  CHECK(parts.value == doctest::Approx(60'000).epsilon(0.01));
}

TEST_CASE("slice store: asked anew soon afterwards, it tells of the inputs since") {
  SliceStore of = store(40);
  const Count before = count(of, {{0, 20'100 * kMs}})[0], after = count(of, {{0, 20'400 * kMs}})[0];
  REQUIRE(before.told());
  CHECK(before.value == doctest::Approx(40'200).epsilon(0.001));
  CHECK(after.value == doctest::Approx(40'800).epsilon(0.001));
  CHECK(after.slices == before.slices);
  for (int i = 0; i < 9; ++i) of.add(slice((10'020 + i * 60) * kMs, 1.5));
  CHECK(count(of, {{0, 20'400 * kMs}})[0].slices == before.slices + 9);
}

TEST_CASE("slice store: nothing is told of what was in no slice, or of a time without inputs") {
  const SliceStore of = store(40);
  CHECK(count(of, {{0, 40 * kSecond}})[1].why == NotTold::kFewSlices);
  CHECK(count(of, {{0, 50 * kSecond}})[0].why == NotTold::kUncounted);
  CHECK(count(of, {{0, kSecond}})[0].why == NotTold::kFewSlices);
  CHECK(SliceStore().count(std::vector<Window>{{0, kSecond}}, 2)[0].why == NotTold::kFewSlices);
}

TEST_CASE(
    "slice store: of a time in which nobody counted inputs it is said, unless slices are few") {
  SliceStore of = store(40);
  for (uint64_t s = 0; s < 20; ++s) of.add(slice(50 * kSecond + s * 500 * kMs, s % 2 ? 1.2 : 1.8));
  const Count none = count(of, {{45 * kSecond, 65 * kSecond}})[0];
  CHECK(none.why == NotTold::kUncounted);
  CHECK(none.slices == 20);
  CHECK(reason(count(of, {{45 * kSecond, 53'100 * kMs}})[0]) == "5 of 6 slices so far");
  of.inputs().begin(65 * kSecond);  // in no full half second yet
  of.inputs().add(65'400 * kMs, {.inputs = inputs(400)});
  CHECK(count(of, {{45 * kSecond, 65'400 * kMs}})[0].why == NotTold::kUncounted);
}

TEST_CASE("slice store: a moment without counting had as many as elsewhere, or none") {
  const SliceStore of = store(40);
  const Count count = ::count(of, {{0, 40'500 * kMs}})[0];
  REQUIRE(count.told());
  CHECK(count.value == doctest::Approx(81'000).epsilon(0.002));
  const Bounds b = bounds(count.value, count.variance);
  CHECK(b.low < 80'200);
  CHECK(b.high > 81'800);
}

TEST_CASE(
    "slice store: of a long run it is known how many slices there were, and all of it tells") {
  SliceStore of;
  for (uint64_t i = 0; i < 10'000; ++i) {
    of.inputs().add((i + 1) * 500 * kMs, {.inputs = inputs(500)});
    of.add(slice(i * 500 * kMs + 100 * kMs, i * 2654435761 % 1000 < 500 ? 1.2 : 1.8));
  }
  const Count late = count(of, {{2'500 * kSecond, 4'900 * kSecond}})[0];
  REQUIRE(late.told());
  CHECK(late.value == doctest::Approx(4'800'000).epsilon(0.01));
  const auto summary = of.within({0, UINT64_MAX});
  CHECK(summary.slices == doctest::Approx(10'000).epsilon(0.01));
}

TEST_CASE("slice store: of a window the newest slices that lie wholly in it are listed") {
  const SliceStore of = store(2);  // at 100, 600, 1100, 1600 ms, 50 ms each
  const auto starts = [&](Window window, size_t most) {
    std::vector<uint64_t> out;
    for (const Slice* one : of.newest(window, most)) out.push_back(one->start_ns / kMs);
    return out;
  };
  CHECK(starts({0, 2 * kSecond}, 10) == std::vector<uint64_t>{100, 600, 1100, 1600});
  CHECK(starts({0, 2 * kSecond}, 2) == std::vector<uint64_t>{1100, 1600});
  CHECK(starts({110 * kMs, 1640 * kMs}, 10) == std::vector<uint64_t>{600, 1100});
}

namespace {

void call(Slice& slice, Item from, Item to, uint32_t calls) {
  for (const bool first : {false, true})
    for (const bool complete : {false, true}) {
      const Cell cell{.stratum = {3, 12}, .first = first, .complete = complete};
      const uint32_t part = complete ? calls / 40 * 19 : calls / 40;
      slice.calls[to][cell] += part;
      slice.edges[{from, to}][cell] += part;
    }
}

// Of three operations 0 calls 1, which calls 2; 1 is away in every other slice, where 0 seems to
// call 2.
SliceStore chain() {
  SliceStore out;
  out.inputs().begin(0);
  for (uint64_t s = 0; s < 80; ++s) {
    out.inputs().add((s + 1) * 500 * kMs, {.inputs = inputs(500)});
    Slice one = slice(s * 500 * kMs + 100 * kMs, s % 4 < 2 ? 1.2 : 1.8);
    const bool all = s % 2 == 0;
    one.attached = one.seen = {true, all, true};
    if (all) call(one, 0, 1, 40);
    call(one, all ? 1 : 0, 2, 80);
    out.add(std::move(one));
  }
  return out;
}

const Count* count_of(const std::vector<SliceStore::EdgeCount>& all, Pair edge) {
  for (const auto& one : all)
    if (one.edge == edge) return &one.count;
  return nullptr;
}

}  // namespace

TEST_CASE("slice store: an edge is told from slices that saw all that may lie between") {
  const SliceStore of = chain();
  const std::vector<Window> times{{0, 40 * kSecond}};
  const auto edges = of.count_edges(times, 3, {});
  REQUIRE(count_of(edges, {1, 2}));
  REQUIRE(count_of(edges, {1, 2})->told());
  CHECK(count_of(edges, {1, 2})->value == doctest::Approx(80'000).epsilon(0.02));
  CHECK(count_of(edges, {1, 2})->slices == 40);
  REQUIRE(count_of(edges, {0, 2}));
  CHECK(count_of(edges, {0, 2})->seen == 0);
  CHECK_FALSE(count_of(edges, {0, 2})->told());
  CHECK(count_of(edges, {0, 1})->value == doctest::Approx(40'000).epsilon(0.02));
}

TEST_CASE("slice store: what samples know of callers counts before what slices saw") {
  SliceStore of;
  of.inputs().begin(0);
  for (uint64_t s = 0; s < 40; ++s) {
    of.inputs().add((s + 1) * 500 * kMs, {.inputs = inputs(500)});
    Slice one = slice(s * 500 * kMs + 100 * kMs, s % 2 ? 1.2 : 1.8);
    one.attached = one.seen = {true, false, true};
    call(one, 0, 2, 40);
    of.add(std::move(one));
  }
  const std::vector<Window> times{{0, 20 * kSecond}};
  CHECK(count_of(of.count_edges(times, 3, {}), {0, 2})->told());
  const std::vector<Pair> known{{1, 2}};
  CHECK_FALSE(count_of(of.count_edges(times, 3, known), {0, 2})->told());
}
