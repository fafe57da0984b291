// SPDX-License-Identifier: Apache-2.0
#include "estimate/interval.h"

#include <doctest/doctest.h>

#include <cmath>

#include "samples.h"

using namespace compmond::estimate;
using namespace compmond::estimate::samples;

namespace {

// n samples of 5 ms each, of one group.
Totals of_samples(uint64_t n) {
  Totals totals;
  totals.cpu_ns = totals.samples.on_ns = n * 5 * kMs;
  totals.samples.on_samples = n;
  totals.on_square = n * 5000 * 5000;
  return totals;
}

Sums of_which(uint64_t k, uint64_t n) {
  Sums sums;
  sums.on_samples = k;
  sums.on_ns = k * 5 * kMs;
  const double p = double(k) / double(n);
  sums.on_variance = uint64_t(double(n) * p * (1 - p) * 5000 * 5000 + 0.5);
  sums.on_moment_variance = sums.on_variance;
  return sums;
}

Estimate with_ends(double value, double low, double high, uint64_t count) {
  Estimate out = exact(value, count);
  out.low_ns = low;
  out.high_ns = out.own_high_ns = high;
  return out;
}

}  // namespace

TEST_CASE("wilson: as in table I of Newcombe 1998, method 3") {
  const struct {
    double k, n, low, high;
  } cases[] = {{81, 263, 0.2553, 0.3662},
               {15, 148, 0.0624, 0.1605},
               {0, 20, 0.0000, 0.1611},
               {1, 29, 0.0061, 0.1718}};
  for (const auto& c : cases) {
    const Interval share = wilson(c.k / c.n, c.n);
    CHECK(std::abs(share.low - c.low) < 0.00005);
    CHECK(std::abs(share.high - c.high) < 0.00005);
    const Interval rest = wilson(1 - c.k / c.n, c.n);  // the same from the other side
    CHECK(rest.low == doctest::Approx(1 - share.high));
    CHECK(rest.high == doctest::Approx(1 - share.low));
  }
}

TEST_CASE("wilson: nothing observed is nothing known") {
  CHECK(wilson(0, 0).low == 0);
  CHECK(wilson(0, 0).high == 1);
}

TEST_CASE("on cpu: one group's estimate is Wilson's share of the exact CPU time") {
  Totals totals = of_samples(263);
  totals.cpu_ns = 1000 * kMs;
  const Estimate e = on_cpu(of_which(81, 263), totals, {});
  CHECK(e.value_ns / 1e9 == doctest::Approx(81.0 / 263));
  CHECK(e.low_ns / 1e9 == doctest::Approx(0.2553).epsilon(0.0005));
  CHECK(e.high_ns / 1e9 == doctest::Approx(0.3662).epsilon(0.0005));
  CHECK(e.samples == 81);
  CHECK_FALSE(e.below);
  CHECK_FALSE(e.at_least);
}

TEST_CASE("on cpu: fewer than five samples say less than an upper bound") {
  CHECK(on_cpu(of_which(4, 100), of_samples(100), {}).below);
  CHECK_FALSE(on_cpu(of_which(5, 100), of_samples(100), {}).below);
  const Estimate none = on_cpu({}, of_samples(20), {});
  CHECK(none.below);
  CHECK(none.value_ns == 0);
  CHECK(none.low_ns == 0);
  CHECK(none.high_ns / (20 * 5 * kMs) == doctest::Approx(0.1611).epsilon(0.0005));
}

TEST_CASE("on cpu: no CPU time is nothing, not little") {
  const Estimate e = on_cpu({}, {}, {});
  CHECK_FALSE(e.below);
  CHECK(e.high_ns == 0);
}

TEST_CASE("on cpu: samples of one moment count for fewer") {
  Sums sums = of_which(81, 263);
  sums.on_moment_variance = 4 * sums.on_variance;
  const Estimate e = on_cpu(sums, of_samples(263), {});
  const Interval wide = wilson(81.0 / 263, 263 / 4.0);
  CHECK(e.low_ns / double(263 * 5 * kMs) == doctest::Approx(wide.low));
  CHECK(e.high_ns / double(263 * 5 * kMs) == doctest::Approx(wide.high));
  sums.on_moment_variance = sums.on_variance / 4;  // but never for more
  CHECK(on_cpu(sums, of_samples(263), {}).low_ns / double(263 * 5 * kMs) ==
        doctest::Approx(0.2553).epsilon(0.0005));
}

TEST_CASE("on cpu: cut stacks raise the upper end of what is within, by those that lack it") {
  Totals totals = of_samples(100);
  totals.samples.on_cut_ns = 10 * 5 * kMs;
  Sums sums = of_which(40, 100);
  sums.on_cut_ns = 4 * 5 * kMs;
  const Estimate e = on_cpu(sums, totals, hidden_callers(sums, totals));
  CHECK(e.hidden_ns == doctest::Approx(6 * 5e6));
  CHECK(e.low_ns / double(500 * kMs) == doctest::Approx(wilson(0.40, 100).low));
  CHECK(e.high_ns / double(500 * kMs) == doctest::Approx(wilson(0.46, 100).high));
  CHECK(on_cpu(sums, totals, {}).hidden_ns == 0);
  sums.on_cut_ns = totals.samples.on_cut_ns;  // it was met in all of them
  CHECK(on_cpu(sums, totals, hidden_callers(sums, totals)).hidden_ns == 0);
}

TEST_CASE("at least: only where cut stacks could add more than the interval's half width") {
  Totals totals = of_samples(100);
  const Sums sums = of_which(40, 100);  // 30.9 to 49.8 %: half of that is 9.4
  totals.samples.on_cut_ns = 9 * 5 * kMs;
  CHECK_FALSE(on_cpu(sums, totals, hidden_callers(sums, totals)).at_least);
  totals.samples.on_cut_ns = 10 * 5 * kMs;
  CHECK(on_cpu(sums, totals, hidden_callers(sums, totals)).at_least);
  CHECK_FALSE(on_cpu(sums, totals, {}).at_least);
  CHECK_FALSE(on_cpu(of_which(4, 100), totals, hidden_callers(of_which(4, 100), totals))
                  .at_least);  // of an upper bound
}

TEST_CASE("nest: neither end of a part goes beyond that of the whole") {
  Estimate part = with_ends(40, 20, 90, 9), whole = with_ends(50, 10, 80, 9);
  nest(part, whole);
  CHECK(part.high_ns == 80);
  CHECK(part.own_high_ns == 80);
  CHECK(part.low_ns == 20);
  CHECK(whole.low_ns == 20);
  CHECK(whole.high_ns == 80);
}

TEST_CASE("at least: only where cut stacks could add more than 1 % of the value") {
  Totals totals = of_samples(1'000'000);
  const Sums sums = of_which(400'000, 1'000'000);  // ± 0.1 %
  totals.samples.on_cut_ns = 3900 * 5 * kMs;
  CHECK_FALSE(on_cpu(sums, totals, hidden_callers(sums, totals)).at_least);
  totals.samples.on_cut_ns = 4100 * 5 * kMs;
  CHECK(on_cpu(sums, totals, hidden_callers(sums, totals)).at_least);
}

TEST_CASE("at least: what on and off the CPU is too little alone may be enough together") {
  Totals totals = of_samples(100);
  const Sums sums = [] {
    Sums both = of_which(40, 100);
    both.off_samples = 10;
    both.blocked_ns = 200 * kMs;
    both.off_variance = 100 * 1'000'000;  // ± 21.6 ms
    return both;
  }();
  totals.samples.on_cut_ns = 9 * 5 * kMs;
  totals.samples.off_cut_ns = 20 * kMs;
  const Estimate on = on_cpu(sums, totals, hidden_callers(sums, totals));
  const Estimate off = off_cpu(sums, totals, Wait::kAll, hidden_callers(sums, totals));
  CHECK_FALSE(on.at_least);
  CHECK_FALSE(off.at_least);
  const Estimate all = sum(on, off);
  CHECK(all.at_least);
  CHECK(all.hidden_ns == doctest::Approx(65e6));
  // What may be hidden adds up, unlike what is left to chance.
  CHECK(all.high_ns - all.own_high_ns == doctest::Approx(on.high_ns - on.own_high_ns + 20e6));
}

TEST_CASE("at least: waiting that was sampled part of the time is, and so is a sum with it") {
  Sums sums = of_which(40, 100);
  sums.off_samples = 1;
  sums.blocked_ns = 200 * kMs;
  Totals totals = of_samples(100);
  totals.time_ns = 1000 * kMs;
  totals.off_time_ns = 500 * kMs;
  const Estimate off = off_cpu(sums, totals, Wait::kAll, {});
  CHECK(off.at_least);
  CHECK(sum(on_cpu(sums, totals, {}), off).at_least);
  totals.off_time_ns = totals.time_ns;
  CHECK_FALSE(off_cpu(sums, totals, Wait::kAll, {}).at_least);
}

TEST_CASE("off cpu: by hand, three waits of which one was certain") {
  // Period 10 ms: 4 ms and 6 ms by chance, 50 ms certain. V = (0.6 + 0.4) · 10² ms².
  Sums sums;
  sums.off_samples = 3;
  sums.blocked_ns = 70 * kMs;
  sums.off_variance = 100 * 1'000'000;
  const Estimate e = off_cpu(sums, {}, Wait::kAll, {});
  CHECK(e.value_ns == 70e6);
  CHECK(e.high_ns - e.value_ns == doctest::Approx(kZ * 10e6 + 0.7e6));
  CHECK(e.value_ns - e.low_ns == doctest::Approx(kZ * 10e6 + 0.7e6));
  CHECK_FALSE(e.below);
}

TEST_CASE("off cpu: one wait that was certain is no guess") {
  Sums sums;
  sums.off_samples = 1;
  sums.blocked_ns = 3000 * kMs;
  const Estimate e = off_cpu(sums, {}, Wait::kAll, {});
  CHECK_FALSE(e.below);
  CHECK(e.high_ns == doctest::Approx(3030e6));
}

TEST_CASE("off cpu: none seen is below three periods, one by chance below a count's bound") {
  Totals totals;
  totals.off_time_ns = 2000 * kMs;
  totals.off_period_ms_us = 5000 * 2000;  // 5 ms
  const Estimate none = off_cpu({}, totals, Wait::kAll, {});
  CHECK(none.below);
  CHECK(none.high_ns == doctest::Approx(15e6));
  Sums one;
  one.off_samples = 1;
  one.blocked_ns = 5 * kMs;
  one.off_variance = 25 * 1'000'000;  // of length almost 0
  const Estimate e = off_cpu(one, totals, Wait::kAll, {});
  CHECK(e.below);
  CHECK(e.high_ns == doctest::Approx(5.665 * 5e6).epsilon(0.001));  // the score bound of a count 1
}

TEST_CASE("off cpu: blocked and runnable share what is uncertain") {
  Sums sums;
  sums.blocked_ns = 75 * kMs;
  sums.runnable_ns = 25 * kMs;
  sums.off_variance = 100 * 1'000'000;
  const Estimate blocked = off_cpu(sums, {}, Wait::kBlocked, {});
  CHECK(blocked.value_ns == 75e6);
  CHECK(blocked.high_ns - blocked.value_ns ==
        doctest::Approx(kZ * std::sqrt(0.75) * 10e6 + 0.75e6));
  CHECK(off_cpu(sums, {}, Wait::kRunnable, {}).value_ns == 25e6);
}

TEST_CASE("sum: the distances to the ends of the intervals add as squares") {
  const Estimate e = sum(with_ends(100, 97, 106, 7), with_ends(50, 46, 58, 5));
  CHECK(e.value_ns == 150);
  CHECK(e.low_ns == doctest::Approx(145));
  CHECK(e.high_ns == doctest::Approx(160));
  CHECK(e.samples == 12);
  CHECK_FALSE(e.at_least);
  CHECK_FALSE(e.below);
}

TEST_CASE("sum: of too few samples is too few, unless there is something beside them") {
  const Estimate nothing, much = with_ends(50, 40, 60, 30);
  Estimate few = with_ends(3, 1, 9, 3);
  few.below = true;
  CHECK(sum(few, few).below);
  CHECK(sum(few, nothing).below);
  CHECK(sum(nothing, few).below);
  CHECK_FALSE(sum(few, much).below);
  CHECK_FALSE(sum(nothing, nothing).below);
}

TEST_CASE("off cpu: seen only part of the time it is a lower bound") {
  Sums sums;
  sums.blocked_ns = 70 * kMs;
  Totals totals;
  totals.time_ns = totals.off_time_ns = kSecond;
  CHECK_FALSE(off_cpu(sums, totals, Wait::kAll, {}).at_least);
  totals.off_time_ns = kSecond / 10;
  CHECK(off_cpu(sums, totals, Wait::kAll, {}).at_least);
}

TEST_CASE("off cpu: where samples were lost it is a lower bound") {
  Sums sums;
  sums.blocked_ns = 70 * kMs;
  Totals totals;
  totals.time_ns = totals.off_time_ns = kSecond;
  totals.samples.off_samples = 5000;
  totals.lost = 2;
  CHECK_FALSE(off_cpu(sums, totals, Wait::kAll, {}).at_least);
  totals.lost = 20;
  CHECK(off_cpu(sums, totals, Wait::kAll, {}).at_least);
  CHECK_FALSE(on_cpu(sums, totals, {}).at_least);
}
