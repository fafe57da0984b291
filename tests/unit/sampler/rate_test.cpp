// SPDX-License-Identifier: Apache-2.0
#include "sampler/rate.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace compmond::sampler;

namespace {

constexpr uint64_t kSecond = 1'000'000'000, kMs = 1'000'000;

// A second in which so many CPUs were busy.
Seen busy(double cpus) { return {.length_ns = kSecond, .cpu_ns = uint64_t(cpus * 1e9)}; }

}  // namespace

TEST_CASE("rate: two busy CPUs at 199 Hz are below the bound") {
  Rate rate(199, false, 2);
  CHECK(rate.pace().keep == 1);
  CHECK(rate.next(busy(2)).keep == 1);
}

TEST_CASE("rate: as CPUs get busy fewer hits become samples, as they get idle more") {
  Rate rate(200, false, 64);
  CHECK(rate.pace().keep == doctest::Approx(400 / (200.0 * 64)));  // until their load is known
  CHECK(rate.next(busy(1)).keep == 1);
  CHECK(rate.next(busy(40)).keep == doctest::Approx(0.05));
  CHECK(rate.next(busy(0)).keep == 1);
}

TEST_CASE("rate: the first stretch is short, as little is known") {
  Rate rate(199, true, 2);
  CHECK(rate.pace().length_ns < 500 * kMs);
  CHECK(rate.next(busy(1)).length_ns == kSecond);
}

TEST_CASE("rate: the period of waits follows their number") {
  Rate rate(199, true, 2);
  const uint64_t first = rate.pace().wait_period_ns;
  Seen seen = busy(1);
  seen.off = 300;
  CHECK(rate.next(seen).wait_period_ns == first * 3);
  seen.off = 100;
  CHECK(rate.next(seen).wait_period_ns == first * 3);
  seen.off = 0;  // falls by half at most
  CHECK(rate.next(seen).wait_period_ns == first * 3 / 2);
}

TEST_CASE("rate: the period of waits has bounds") {
  Rate rate(199, true, 2);
  Seen seen = busy(1);
  for (int i = 0; i < 20; ++i) rate.next(seen);
  CHECK(rate.pace().wait_period_ns == kMinWaitPeriodNs);
  seen.off = 1'000'000;
  for (int i = 0; i < 20; ++i) rate.next(seen);
  CHECK(rate.pace().wait_period_ns == kMaxWaitPeriodNs);
}

TEST_CASE("rate: below 5,000 switches a second waits are looked at all the time") {
  Rate rate(199, true, 2);
  Seen seen = busy(1);
  seen.switches = 4'900;
  for (int i = 0; i < 100; ++i) CHECK(rate.next(seen).waits);
}

TEST_CASE("rate: above it, for so many of them on average") {
  Rate rate(199, true, 2);
  double looked_at = 0, seconds = 0;
  for (int i = 0; i < 1000; ++i) {
    const double length = double(rate.pace().length_ns) / 1e9;
    Seen seen{.length_ns = rate.pace().length_ns, .cpu_ns = rate.pace().length_ns};
    seen.switches = uint64_t(20'000 * length);
    if (rate.pace().waits) looked_at += double(seen.switches);
    seconds += length;
    rate.next(seen);
  }
  CHECK(looked_at / seconds == doctest::Approx(5'000).epsilon(0.1));
}

TEST_CASE("rate: however many there are, a tenth of a second in two is looked at") {
  Rate rate(199, true, 2);
  double on = 0, seconds = 0, pause = 0, longest = 0;
  for (int i = 0; i < 1000; ++i) {
    const double length = double(rate.pace().length_ns) / 1e9;
    Seen seen{.length_ns = rate.pace().length_ns, .cpu_ns = rate.pace().length_ns};
    seen.switches = uint64_t(2'000'000 * length);
    if (rate.pace().waits) on += length;
    pause = rate.pace().waits ? 0 : pause + length;
    longest = std::max(longest, pause);
    seconds += length;
    rate.next(seen);
  }
  CHECK(longest <= 3);
  CHECK(on / seconds > 0.03);
  CHECK(on / seconds < 0.1);
}

TEST_CASE("rate: without waits none are asked for") {
  Rate rate(199, false, 2);
  CHECK_FALSE(rate.pace().waits);
  CHECK_FALSE(rate.next(busy(1)).waits);
}

TEST_CASE("rate: a stretch with 500 samples has enough") {
  CHECK_FALSE(Rate::full({.on = 350, .off = 100}));
  CHECK(Rate::full({.on = 400, .off = 100}));
}
