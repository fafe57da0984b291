// SPDX-License-Identifier: Apache-2.0
#include "history/tiles.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>

using compmond::history::Tile;
using compmond::history::TileLevels;

namespace {

constexpr uint64_t kMs = 1'000'000, kSecond = 1000 * kMs;

struct Segment {
  uint64_t from, to;
};

uint64_t overlap(const std::vector<Segment>& segments, uint64_t from, uint64_t to) {
  uint64_t sum = 0;
  for (const Segment& s : segments) {
    const uint64_t a = std::max(s.from, from), b = std::min(s.to, to);
    if (b > a) sum += b - a;
  }
  return sum;
}

Tile sum(const std::vector<Tile>& tiles) {
  Tile all;
  for (const Tile& tile : tiles) {
    all.calls += tile.calls;
    all.real_ns += tile.real_ns;
  }
  return all;
}

}  // namespace

TEST_CASE(
    "tiles: columns aligned to milliseconds are exact, whatever the order in which times arrive") {
  CHECK(rc::check([](const std::vector<std::tuple<uint16_t, uint32_t, uint8_t>>& given) {
    TileLevels tiles(2);
    std::vector<Segment> segments;
    const uint64_t base = 777'777 * kMs;
    for (const auto& [ms, ns, shift] :
         given) {  // within two seconds, up to tens of milliseconds long
      const uint64_t from = base + ms % 2000 * kMs + ns % kMs;
      segments.push_back({from, from + (ns >> shift % 32) % (50 * kMs)});
      tiles.add_call(1, from);
      tiles.add_real(1, segments.back().from, segments.back().to);
    }
    const uint64_t end = base + 2051 * kMs;
    const std::vector<Tile> columns = tiles.columns(1, base, end, 2051);
    for (size_t i = 0; i < columns.size(); ++i) {
      const uint64_t from = base + i * kMs;
      RC_ASSERT(columns[i].real_ns == overlap(segments, from, from + kMs));
      RC_ASSERT(columns[i].calls ==
                uint64_t(std::count_if(segments.begin(), segments.end(), [&](const Segment& s) {
                  return s.from >= from && s.from < from + kMs;
                })));
    }
    const Tile whole = tiles.sum(1, base, end);
    RC_ASSERT(whole.real_ns == overlap(segments, 0, UINT64_MAX));
    RC_ASSERT(whole.calls == segments.size());
    RC_ASSERT(tiles.sum(0, base, end).calls == 0u);
    for (size_t n : {1u, 7u, 64u, 1000u}) {
      const Tile all =
          sum(tiles.columns(1, base / (4096 * kMs) * (4096 * kMs), base + 8192 * kMs, n));
      RC_ASSERT(all.calls == segments.size());
    }
  }));
}

TEST_CASE("tiles: bounds inside a tile count it in proportion, and columns still add up") {
  TileLevels tiles(1);
  tiles.add_real(0, 8 * kMs, 9 * kMs);
  for (int i = 0; i < 10; ++i) tiles.add_call(0, 8 * kMs);
  CHECK(tiles.sum(0, 8 * kMs + kMs / 4, 9 * kMs).real_ns == kMs - kMs / 4);
  CHECK(tiles.sum(0, 0, 8 * kMs + kMs / 2).calls == 5);
  const std::vector<Tile> columns = tiles.columns(0, 8 * kMs, 9 * kMs, 7);
  CHECK(sum(columns).real_ns == kMs);
  CHECK(sum(columns).calls == 10);
  CHECK(columns[3].real_ns >= kMs / 7);
  CHECK(columns[3].real_ns <= kMs / 7 + 1);
}

TEST_CASE(
    "tiles: a long run is held whole at coarser levels, and the newest seconds to the "
    "millisecond") {
  TileLevels tiles(1);
  const uint64_t hours = 3 * 3600;
  for (uint64_t s = 0; s < hours; ++s) {  // 100 ms of each second in one piece
    tiles.add_call(0, s * kSecond + 5 * kMs);
    tiles.add_real(0, s * kSecond + 5 * kMs, s * kSecond + 105 * kMs);
  }
  const uint64_t end = hours * kSecond;
  CHECK(tiles.sum(0, 0, end).real_ns == hours * 100 * kMs);
  CHECK(tiles.sum(0, 0, end).calls == hours);
  CHECK(sum(tiles.columns(0, 0, end, 100)).real_ns == hours * 100 * kMs);
  CHECK(tiles.sum(0, end - kSecond, end - 990 * kMs).real_ns == 5 * kMs);
  const uint64_t old =
      tiles.sum(0, 1000 * kSecond, 1100 * kSecond).real_ns;  // from coarse tiles: nearly
  CHECK(old > 9 * kSecond);
  CHECK(old < 11 * kSecond);
}

TEST_CASE("tiles: what comes late counts where its time is still held") {
  TileLevels tiles(1);
  tiles.add_real(0, 100 * kSecond, 100 * kSecond + 10);
  tiles.add_real(0, 0, 100 * kSecond);  // on top all the time, told at its end
  tiles.add_call(0, 99 * kSecond);
  CHECK(tiles.sum(0, 0, 101 * kSecond).real_ns == 100 * kSecond + 10);
  CHECK(tiles.sum(0, 99 * kSecond, 100 * kSecond).real_ns == kSecond);
  CHECK(tiles.sum(0, 99 * kSecond, 99 * kSecond + kMs).calls == 1);
}

TEST_CASE("tiles: memory is bounded however long it runs, and nothing costs little") {
  TileLevels tiles(100);
  const size_t before = tiles.memory_bytes();
  CHECK(before < 100'000);
  const auto write = [&](uint64_t from, uint64_t to) {
    for (uint64_t ms = from; ms < to; ++ms) tiles.add_call(0, ms * kMs);
  };
  write(0, 5'000);
  const size_t early = tiles.memory_bytes();
  write(5'000, 300'000);
  write(40'000'000, 40'010'000);
  CHECK(early > before);
  CHECK(tiles.memory_bytes() - before < 12u * 128 * 600);
  CHECK(tiles.sum(0, 0, 40'010'000 * kMs).calls == 310'000);
}

TEST_CASE("tiles: where too many operations work all the time the finest levels are given up") {
  constexpr uint32_t kMany = 30'000;
  constexpr size_t kMost = 256u << 20;
  TileLevels tiles(kMany);
  std::vector<uint64_t> times;
  for (const uint64_t step : {33 * kMs, 1100 * kMs, 35 * kSecond, 1200 * kSecond})
    for (int i = 0; i < 10; ++i) times.push_back((times.empty() ? 0 : times.back()) + step);
  for (size_t i = 0; i < times.size(); ++i)
    for (uint32_t op = 0; op < kMany; ++op)
      if (op % 3 != 0 || i % 2 == 0) tiles.add_call(op, times[i]);
  CHECK(tiles.memory_bytes() <= kMost);
  CHECK(tiles.memory_bytes() > kMost / 2);
  const uint64_t end = times.back() + kMs, late = times[times.size() - 5];
  for (const uint32_t op : {0u, 1u, kMany - 1}) {
    const uint64_t all = op % 3 == 0 ? 20 : 40;
    CHECK(tiles.sum(op, 0, end).calls == all);
    CHECK(sum(tiles.columns(op, 0, end, 7)).calls == all);
    CHECK(tiles.sum(op, late - 600 * kSecond, end).calls >= all / 10);  // to the width of a tile
    CHECK(tiles.sum(op, late - 600 * kSecond, end).calls <= all / 4);
  }
  TileLevels few(10);
  for (uint64_t ms = 0; ms < 10'000'000; ++ms) few.add_call(ms % 10, ms * kMs);
  CHECK(few.sum(0, 9'999'980 * kMs, 9'999'981 * kMs).calls == 1);  // as fine as ever
}

TEST_CASE("tiles: time up to the very end of a 64-bit clock is counted") {
  TileLevels tiles(1);
  tiles.add_real(0, UINT64_MAX - 3 * kSecond, UINT64_MAX);
  tiles.add_call(0, UINT64_MAX - 1);
  CHECK(tiles.sum(0, UINT64_MAX - 10 * kSecond, UINT64_MAX).real_ns == 3 * kSecond);
  CHECK(tiles.sum(0, 0, UINT64_MAX).calls == 1);
}
