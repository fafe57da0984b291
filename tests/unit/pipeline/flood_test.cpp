// SPDX-License-Identifier: Apache-2.0
#include "pipeline/flood.h"

#include <doctest/doctest.h>

#include "pipeline/arrivals.h"

using namespace compmond::pipeline;

namespace {

constexpr uint64_t kMs = 1'000'000;

// How often it is told in a second of so many events every 5 ms.
int told(size_t events) {
  Flood flood;
  int out = 0;
  for (uint64_t ms = 1000; ms < 2000; ms += 5) out += flood.saw(events, ms * kMs);
  return out;
}

}  // namespace

TEST_CASE("flood: events that no probe makes dear are none") {
  CHECK(told(0) == 0);
  CHECK(told(600) == 0);
}

TEST_CASE("flood: it is told while it lasts, and at most once in 40 ms") {
  CHECK(told(20'000) == 25);
  CHECK(told(3'000) > 10);
}

TEST_CASE("flood: the dearest probes are noticed when they take half of one thread's time") {
  constexpr size_t kCallsIn5Ms = 5'000'000 / 2 / 6'800;  // at 6.8 µs each
  CHECK(told(2 * kCallsIn5Ms) > 0);
}

TEST_CASE("flood: what is to be looked at early is there once, and wakes") {
  Arrivals arrivals;
  CHECK_FALSE(arrivals.take_flood());
  arrivals.add_flood();
  CHECK(arrivals.take_flood());
  CHECK_FALSE(arrivals.take_flood());
}
