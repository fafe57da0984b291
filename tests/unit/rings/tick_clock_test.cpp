// SPDX-License-Identifier: Apache-2.0
#include "rings/tick_clock.h"

#include <doctest/doctest.h>
#include <x86intrin.h>

#include <cstdlib>

#include "base/clock.h"

using namespace compmond;
using namespace compmond::inprocess;

TEST_CASE("tick clock: between two looks it is a straight line, beyond them the same one") {
  TickClock clock;
  constexpr uint64_t kMs = 1'000'000;
  clock.add({1'000, 10 * kMs});
  clock.add({2'000, 12 * kMs});
  clock.add({3'000, 16 * kMs});
  CHECK(clock.ns(1'500) == 11 * kMs);
  CHECK(clock.ns(2'000) == 12 * kMs);
  CHECK(clock.ns(2'500) == 14 * kMs);
  CHECK(clock.ns(3'500) == 18 * kMs);
  CHECK(clock.ns(500) == 9 * kMs);
  CHECK(clock.most_off_ns() == 2 * kMs);
}

TEST_CASE("tick clock: looks that follow each other at once make no pace of what they are off by") {
  TickClock clock;
  clock.add({0, 0});
  uint64_t ticks = 40'000'000;  // of 1 ns each
  for (int i = 0; i < 20; ++i, ticks += 2'000) clock.add({ticks, ticks + (i % 2) * 50});
  CHECK(clock.last().ticks == ticks - 2'000);
  CHECK(std::abs(int64_t(clock.ns(39'000'000) - 39'000'000)) <= 50);
  CHECK(std::abs(int64_t(clock.ns(ticks + 1'000'000) - (ticks + 1'000'000))) <= 60);
  CHECK(clock.most_off_ns() <= 60);
}

TEST_CASE("tick clock: what is far away or runs backwards is a number, too") {
  TickClock clock;
  clock.add({1'000, 10'000});
  clock.add({1'000, 10'050});
  CHECK(clock.ns(1'000) == 10'050);
  for (int i = 0; i < 1000; ++i) clock.add({2'000 + uint64_t(i), 11'000 + uint64_t(i)});
  (void)clock.ns(0);
  (void)clock.ns(UINT64_MAX);
}

TEST_CASE("tick clock: it tells the time of this machine" * doctest::skip(!TickClock::steady())) {
  TickClock clock;
  clock.add(TickClock::now());
  const uint64_t until = monotonic_ns() + 2'000'000;
  while (monotonic_ns() < until) {
  }
  clock.add(TickClock::now());
  uint64_t most = 0;
  for (int i = 0; i < 1000; ++i) {  // one in a thousand at least is not interrupted in between
    const uint64_t before = monotonic_ns(), told = clock.ns(__rdtsc()), after = monotonic_ns();
    const uint64_t off = told < before ? before - told : told > after ? told - after : 0;
    if (i == 0 || off < most) most = off;
  }
  CHECK(most < 1'000);
}
