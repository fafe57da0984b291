// SPDX-License-Identifier: Apache-2.0
#include "figures/activity.h"

#include <doctest/doctest.h>

#include <numeric>

#include "../trace/segments.h"
#include "figures/clip.h"
#include "random_scene.h"

using namespace compmond;
using namespace compmond::figures;
using trace::in;
using trace::out;

namespace {

uint64_t total(const std::vector<uint64_t>& row) {
  return std::accumulate(row.begin(), row.end(), uint64_t{0});
}

}  // namespace

TEST_CASE("activity: a column of 1 ms holds exactly the time on top of the component") {
  CHECK(rc::check([](uint16_t at, uint8_t extra) {
    RandomRun s(*random_script(200), kMs);
    const uint64_t now = s.now + extra % 20 * kMs;
    const size_t columns = 1 + extra;
    const uint64_t begin = at % (now / kMs + 1) * kMs;
    const Window window{begin, begin + columns * kMs};
    const history::Checkpoint checkpoint = s.checkpoint(now);
    const Activity found = activity(s.store, checkpoint, s.model, window, columns);
    std::vector<std::vector<uint64_t>> expected(s.model.parent_of.size(),
                                                std::vector<uint64_t>(columns));
    for (const trace::Segment& segment : trace::segments(s.all(checkpoint)))
      for (size_t i = 0; i < columns; ++i)
        expected[size_t(s.model.component_of[segment.op])][i] +=
            clipped(segment.from, segment.to, {begin + i * kMs, begin + (i + 1) * kMs});
    RC_ASSERT(found.real_ns == expected);
  }));
}

TEST_CASE("activity: any columns add up to the window's real time") {
  Scene scene({0, 1}, {-1, -1});
  scene.feed(0, {in(0, 900, 0), in(1, 800, 10 * kMs), out(1, 800, 30 * kMs), out(0, 900, 100 * kMs),
                 in(1, 900, 110 * kMs)});
  for (const size_t columns : {1u, 3u, 7u, 100u, 1000u, 4096u}) {
    const Activity found =
        activity(scene.store, scene.checkpoint(200 * kMs), scene.model, {0, 200 * kMs}, columns);
    CHECK(total(found.real_ns[0]) == 80 * kMs);
    CHECK(total(found.real_ns[1]) == 110 * kMs);  // what runs counts up to now
    CHECK(found.real_ns[0].size() == columns);
    CHECK(found.lost.empty());
  }
}

TEST_CASE("activity: a run that ends within a tile has all of that tile's time") {
  Scene scene({0}, {-1});
  const uint64_t end = 100 * kMs + kMs / 4;
  scene.feed(0, {in(0, 900, 10 * kMs), out(0, 900, end - 1000)});
  for (const size_t columns : {1u, 7u, 50u}) {
    const Activity found =
        activity(scene.store, scene.checkpoint(end), scene.model, {0, end}, columns);
    CHECK(total(found.real_ns[0]) == end - 1000 - 10 * kMs);
  }
}

TEST_CASE("activity: components and operations that do not pass the filter have empty rows") {
  Scene scene({0, 0, 1}, {-1, 0});
  scene.feed(0, {in(0, 900, 0), out(0, 900, 4 * kMs), in(1, 900, 4 * kMs), out(1, 900, 9 * kMs),
                 in(2, 900, 9 * kMs)});
  const auto rows = [&](const Filter& filter) {
    const Activity found =
        activity(scene.store, scene.checkpoint(20 * kMs), scene.model, {0, 20 * kMs}, 5, filter);
    return std::pair(total(found.real_ns[0]) / kMs, total(found.real_ns[1]) / kMs);
  };
  CHECK(rows({}) == std::pair<uint64_t, uint64_t>(9, 11));
  CHECK(rows({{1}, {}, {}, 0}) == std::pair<uint64_t, uint64_t>(0, 11));
  CHECK(rows({{0}, {}, {}, 0}) == std::pair<uint64_t, uint64_t>(9, 11));  // with what it contains
  CHECK(rows({{}, {}, {1}, 0}) == std::pair<uint64_t, uint64_t>(5, 0));
}

TEST_CASE("activity: losses stand in the column of their time") {
  Scene scene({0}, {-1});
  scene.store.on_loss(25 * kMs, 25 * kMs, 3);
  scene.store.on_loss(25 * kMs + 1, 25 * kMs + 1, 4);
  scene.store.on_loss(99 * kMs, 99 * kMs, 5);
  scene.store.on_loss(150 * kMs, 150 * kMs, 6);
  const auto lost = [&](Window window) {
    return activity(scene.store, scene.checkpoint(200 * kMs), scene.model, window, 4).lost;
  };
  CHECK(lost({0, 100 * kMs}) == std::vector<uint64_t>{0, 7, 0, 5});
  CHECK(lost({30 * kMs, 90 * kMs}).empty());
}

TEST_CASE("activity: a loss at an unknown time is seen in all columns of its span") {
  Scene scene({0}, {-1});
  scene.store.on_loss(25 * kMs, 74 * kMs, 7);
  scene.store.on_loss(160 * kMs, 160 * kMs, 0);  // nobody knows how many
  const auto lost = [&](Window window) {
    return activity(scene.store, scene.checkpoint(200 * kMs), scene.model, window, 4).lost;
  };
  CHECK(lost({0, 100 * kMs}) == std::vector<uint64_t>{0, 4, 3, 0});
  CHECK(lost({40 * kMs, 44 * kMs}) == std::vector<uint64_t>{4, 1, 1, 1});
  CHECK(lost({0, 200 * kMs}) == std::vector<uint64_t>{4, 3, 0, 1});
}

TEST_CASE("activity: an empty window has empty columns") {
  Scene scene({0}, {-1});
  const Activity found = activity(scene.store, scene.checkpoint(0), scene.model, {0, 0}, 3);
  CHECK(found.real_ns == std::vector<std::vector<uint64_t>>{{0, 0, 0}});
}
