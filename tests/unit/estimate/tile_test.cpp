// SPDX-License-Identifier: Apache-2.0
#include "estimate/tile.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>

#include "estimate/timeline.h"
#include "samples.h"

using namespace compmond::estimate;
using namespace compmond::estimate::samples;

namespace {

Sums sums_of(uint64_t on_ns) {
  Sums sums;
  sums.on_samples = 1;
  sums.on_ns = on_ns;
  sums.off_variance = on_ns * 3;
  return sums;
}

std::map<Key, uint64_t> by_key(const std::deque<Tile>& tiles) {
  std::map<Key, uint64_t> out;
  for (const Tile& tile : tiles)
    for (const Row& row : tile.rows()) {
      CHECK(row.sums.off_variance == row.sums.on_ns * 3);
      out[row.key] += row.sums.on_ns;
    }
  return out;
}

}  // namespace

TEST_CASE("tile: what is added by key or in bulk is the same") {
  CHECK(rc::check([](const std::vector<std::pair<uint8_t, uint16_t>>& script) {
    Tile single(0, 1), bulk(0, 1);
    std::map<Key, Sums> sums;
    for (const auto& [a, ns] : script) {
      single.add(Key(Kind::kThread, a % 16, 5), sums_of(ns));
      sums[Key(Kind::kThread, a % 16, 5)] += sums_of(ns);
    }
    std::vector<Row> rows;
    for (const auto& [key, sum] : sums) rows.insert(rows.begin(), {key, sum});
    for (int twice = 0; twice < 2; ++twice) bulk.add_rows(rows);
    RC_ASSERT(single.rows().size() == sums.size() && bulk.rows().size() == sums.size());
    for (const auto& [key, sum] : sums) {
      RC_ASSERT(single.find(key)->on_ns == sum.on_ns);
      RC_ASSERT(bulk.find(key)->on_ns == 2 * sum.on_ns);
    }
    RC_ASSERT(!single.find(Key(Kind::kThread, 99, 5)));
  }));
}

TEST_CASE("tile: rows that come later go between those that are there") {
  CHECK(rc::check([](const std::vector<std::vector<std::pair<uint8_t, uint16_t>>>& script) {
    Tile single(0, 1), bulk(0, 1);
    for (const auto& part : script) {
      std::map<Key, Sums> sums;
      for (const auto& [a, ns] : part) {
        single.add(Key(Kind::kThread, a, 5), sums_of(ns));
        sums[Key(Kind::kThread, a, 5)] += sums_of(ns);
      }
      std::vector<Row> rows;
      for (const auto& [key, sum] : sums) rows.insert(rows.begin(), {key, sum});
      bulk.add_rows(std::move(rows));
    }
    RC_ASSERT(std::ranges::equal(single.rows(), bulk.rows(), {}, &Row::key, &Row::key));
    for (const Row& row : single.rows()) RC_ASSERT(bulk.find(row.key)->on_ns == row.sums.on_ns);
  }));
}

TEST_CASE("tile: too many threads become one row, those with the most time keep theirs") {
  Tile tile(0, 1);
  uint64_t all = 0;
  tile.add(Key(Kind::kOperationOwn, 7), sums_of(1));
  for (uint32_t i = 0; i < 3 * Tile::kRowsMost; ++i) {
    const uint64_t ns = i % 1000 == 0 ? 1'000'000 : 1 + i % 7;
    tile.add(Key(Kind::kThread, i, i), sums_of(ns));
    all += ns;
  }
  CHECK(tile.rows().size() <= Tile::kRowsMost);
  CHECK(tile.find(Key(Kind::kOperationOwn, 7)));
  CHECK(tile.find(Key(Kind::kThread, 1000, 1000)));
  REQUIRE(tile.find(Key(Kind::kThread, Key::kOthers)));
  uint64_t kept = 0;
  for (const Row& row : tile.rows())
    if (row.key.kind() == Kind::kThread) kept += row.sums.on_ns;
  CHECK(kept == all);
}

TEST_CASE("timeline: merging leaves every sum equal, whatever the bound") {
  CHECK(rc::check([](const std::vector<uint16_t>& script) {
    Timeline fine(size_t(1) << 30), bounded(3000);
    uint64_t at = 0;
    for (const uint16_t word : script) {
      Tile tile(at, at + kSecond);
      tile.totals.lost = word;
      tile.add(Key(Kind::kOperationOwn, word % 5), sums_of(word));
      tile.add(Key(Kind::kEdge, word % 3, word % 2), sums_of(word / 2));
      at += kSecond;
      fine.push(tile);
      bounded.push(tile);
      for (Timeline* line : {&fine, &bounded})
        line->spread(at - std::min<uint64_t>(at, word * kSecond / 16), at - 1,
                     [&](Tile& to, double) { to.totals.unplaced += 1; });
    }
    RC_ASSERT(by_key(fine.tiles()) == by_key(bounded.tiles()));
    uint64_t lost = 0, end = 0;
    for (const Tile& tile : bounded.tiles()) {
      RC_ASSERT(tile.start_ns == end);
      end = tile.end_ns;
      lost += tile.totals.lost;
    }
    for (const uint16_t word : script) lost -= word;
    RC_ASSERT(end == at && lost == 0);
    RC_ASSERT(bounded.memory_bytes() <= 3000 || bounded.tiles().size() == 1);
  }));
}

TEST_CASE("timeline: a long run is the coarser the longer ago, each size about as often") {
  Timeline line(200'000);
  const uint64_t seconds = 86'400;
  for (uint64_t i = 0; i < seconds; ++i) {
    Tile tile(i * kSecond, (i + 1) * kSecond);
    for (uint32_t key = 0; key < 10; ++key) tile.add(Key(Kind::kOperationOwn, key), sums_of(1));
    line.push(tile);
    REQUIRE(line.memory_bytes() <= 200'000);
  }
  std::map<uint64_t, int> sizes;
  uint64_t before = UINT64_MAX;
  for (const Tile& tile : line.tiles()) {
    const uint64_t size = (tile.end_ns - tile.start_ns) / kSecond;
    CHECK(size <= before);
    before = size;
    ++sizes[size];
  }
  CHECK(before == 1);
  CHECK(sizes.size() >= 10);
  CHECK(sizes[1] >= 8);
  CHECK(line.tiles().front().find(Key(Kind::kOperationOwn, 3))->on_ns ==
        line.tiles().front().end_ns / kSecond);
}

TEST_CASE("timeline: the parts of a wait that tiles hold add up to what lies in them") {
  CHECK(part_within(10, 20, 0, 100) == 1);
  CHECK(part_within(10, 20, 15, 100) == 0.5);
  CHECK(part_within(10, 20, 0, 12) == 0.2);
  CHECK(part_within(10, 20, 20, 30) == 0);
  CHECK(part_within(10, 10, 10, 20) == 1);  // of no length: where it ends
  CHECK(part_within(20, 20, 10, 20) == 0);
  Timeline line(1 << 20);
  for (uint64_t i = 0; i < 10; ++i) line.push(Tile(i * 10, i * 10 + 10));
  std::vector<double> parts;
  line.spread(25, 45, [&](Tile& tile, double part) {
    parts.push_back(part);
    CHECK(tile.start_ns / 10 == 1 + parts.size());
  });
  CHECK(parts == std::vector<double>{0.25, 0.5, 0.25});
}
