// SPDX-License-Identifier: Apache-2.0
#include "rings/tick_clock.h"

#include <doctest/doctest.h>
#include <x86intrin.h>

#include "base/clock.h"

using namespace compmond;
using namespace compmond::inprocess;

TEST_CASE("tick clock: between two looks it is a straight line, beyond them the same one") {
  TickClock clock;
  clock.add({1'000, 10'000});
  clock.add({2'000, 12'000});
  clock.add({3'000, 16'000});
  CHECK(clock.ns(1'500) == 11'000);
  CHECK(clock.ns(2'000) == 12'000);
  CHECK(clock.ns(2'500) == 14'000);
  CHECK(clock.ns(3'500) == 18'000);
  CHECK(clock.ns(500) == 9'000);
  CHECK(clock.most_off_ns() == 2'000);
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
