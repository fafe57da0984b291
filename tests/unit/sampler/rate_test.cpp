// SPDX-License-Identifier: Apache-2.0
#include "sampler/rate.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace compmond::sampler;

namespace {

constexpr uint64_t kSecond = 1'000'000'000, kMs = 1'000'000;

// A second in which so many CPUs were busy.
Seen busy(double cpus) { return {.length_ns = kSecond, .cpu_ns = uint64_t(cpus * 1e9)}; }

// Time that looks took, and in which there were any.
struct Taken {
  double ns = 0, seconds = 0, looked = 0, longest_pause = 0;
};

// Stretches of a load that is always like that, each as long as a poll each 80 ms makes it.
Taken take(const Seen& per_second, int stretches) {
  Rate rate(199, true, 2);
  Taken out;
  double pause = 0;
  for (int i = 0; i < stretches; ++i) {
    const bool looks = rate.pace().waits;
    Seen seen;
    do {
      seen.length_ns += 80 * kMs;
      const double seconds = double(seen.length_ns) / 1e9;
      seen.cpu_ns = uint64_t(double(per_second.cpu_ns) * seconds);
      seen.own_looks_ns = looks ? uint64_t(double(per_second.own_looks_ns) * seconds) : 0;
      seen.all_looks_ns = looks ? uint64_t(double(per_second.all_looks_ns) * seconds) : 0;
    } while (seen.length_ns < rate.pace().length_ns && !rate.full(seen));
    const double seconds = double(seen.length_ns) / 1e9;
    out.ns += double(seen.own_looks_ns + seen.all_looks_ns);
    out.seconds += seconds;
    out.looked += looks ? seconds : 0;
    pause = looks ? 0 : pause + seconds;
    out.longest_pause = std::max(out.longest_pause, pause);
    rate.next(seen);
  }
  return out;
}

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

TEST_CASE("rate: looks that take less than they may go on all the time") {
  Rate rate(199, true, 2);
  Seen seen = busy(1);
  seen.own_looks_ns = uint64_t(0.9 * kOwnLooksShare * 1e9);
  seen.all_looks_ns = uint64_t(0.9 * kAllLooksShare * 1e9);
  for (int i = 0; i < 100; ++i) CHECK(rate.next(seen).waits);
}

TEST_CASE("rate: of a program that waits most of the time a part of a core may be taken") {
  Rate rate(199, true, 2);
  Seen seen = busy(0.001);
  seen.own_looks_ns = uint64_t(0.9 * kOwnLooksShare * kLooksOfCore * 1e9);
  seen.all_looks_ns = uint64_t(0.9 * kAllLooksShare * kLooksOfCore * 1e9);
  for (int i = 0; i < 100; ++i) CHECK(rate.next(seen).waits);
}

TEST_CASE("rate: looks that would take more are made part of the time, and take what they may") {
  Seen per_second = busy(1);
  double allowed = 0;
  SUBCASE("at threads of targets") {
    per_second.own_looks_ns = 4 * kMs;
    allowed = kOwnLooksShare * 1e9;
  }
  SUBCASE("at all") {
    per_second.all_looks_ns = 8 * kMs;
    allowed = kAllLooksShare * 1e9;
  }
  const Taken taken = take(per_second, 1000);
  CHECK(taken.ns / taken.seconds == doctest::Approx(allowed).epsilon(0.1));
  CHECK(taken.looked / taken.seconds == doctest::Approx(0.25).epsilon(0.1));
  CHECK(taken.longest_pause <= 1);
}

TEST_CASE("rate: however dear looks are, there is one every few seconds") {
  Seen per_second = busy(2);
  per_second.own_looks_ns = per_second.all_looks_ns = kSecond;
  const Taken taken = take(per_second, 1000);
  CHECK(taken.longest_pause <= 4.5);
  CHECK(taken.looked / taken.seconds > 0.01);
  CHECK(taken.looked / taken.seconds < 0.05);
}

TEST_CASE("rate: a look that takes more than the ones before ends early") {
  Rate rate(199, true, 2);
  CHECK(rate.next(busy(1)).waits);
  CHECK_FALSE(rate.full({.own_looks_ns = kMs / 2, .all_looks_ns = kMs}));
  CHECK(rate.full({.own_looks_ns = 2 * kMs}));
  CHECK(rate.full({.all_looks_ns = 3 * kMs}));
}

TEST_CASE("rate: without waits none are asked for") {
  Rate rate(199, false, 2);
  CHECK_FALSE(rate.pace().waits);
  CHECK_FALSE(rate.next(busy(1)).waits);
}

TEST_CASE("rate: a stretch with 500 samples has enough") {
  const Rate rate(199, false, 2);
  CHECK_FALSE(rate.full({.on = 350, .off = 100}));
  CHECK(rate.full({.on = 400, .off = 100}));
}
