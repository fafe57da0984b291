// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <random>

#include "estimate/estimates.h"
#include "estimate/sample_store.h"
#include "samples.h"

using namespace compmond;
using namespace compmond::estimate;
using namespace compmond::estimate::samples;

namespace {

constexpr uint64_t kLook = 100 * kMs, kEvery = kSecond;

// Looks at waiting for a tenth of every second, in which operation 0 waits for `part` of it, all of
// it seen.
void second(Fed& fed, uint64_t number, double part) {
  const uint64_t start = number * kEvery, wait = uint64_t(part * double(kLook));
  if (wait > 0) fed.off(start + wait, {0}, wait, wait);
  fed.stretch(start, start + kLook, 100, 0);
  fed.stretch(start + kLook, start + kEvery, 100, 0, 0);
}

Estimate waiting(const Fed& fed, Window window = {}, int op = 0) {
  return Estimates(fed.store, window).operation(op).own.off_cpu;
}

}  // namespace

TEST_CASE("unseen waits: the stretches around it tell what waited while nobody looked") {
  Fed fed(2);
  for (uint64_t i = 0; i < 20; ++i) second(fed, i, 0.4);
  fed.stretch(20 * kEvery, 20 * kEvery + kLook, 100, 0);
  const Estimate all = waiting(fed);
  // But for the last gap, behind which nothing waited.
  CHECK(all.value_ns == doctest::Approx(19 * 400e6 + 40e6 + 0.9e9 * 0.2));
  CHECK_FALSE(all.at_least);
  CHECK(all.samples == 20);
  const Estimate window = waiting(fed, {5 * kEvery, 15 * kEvery});
  CHECK(window.value_ns == doctest::Approx(10 * 400e6).epsilon(0.001));
  CHECK(window.high_ns - window.low_ns ==
        doctest::Approx(2 * (0.01 + 0.5 * 0.9) * window.value_ns));
  CHECK(Estimates(fed.store, {}).off_cpu_share() == doctest::Approx(2.1 / 20.1));
  CHECK(waiting(fed, {}, 1).value_ns == 0);
  CHECK(waiting(fed, {}, 1).high_ns == doctest::Approx(3 * 5e6 * 20.1 / 2.1));
}

TEST_CASE("unseen waits: until the next look the last one stands for it, with a spread") {
  Fed fed(1);
  second(fed, 0, 0.4);
  Estimate first = waiting(fed);
  CHECK(first.value_ns == doctest::Approx(400e6));
  CHECK(first.high_ns > 2 * first.value_ns);  // nothing is known of how it changes
  CHECK_FALSE(first.at_least);
  second(fed, 1, 0.5);
  const Estimate second_one = waiting(fed);
  CHECK(second_one.value_ns == doctest::Approx(40e6 + 0.9e9 * 0.45 + 500e6));
  CHECK(second_one.low_ns < 840e6);
  CHECK(second_one.high_ns > 990e6);
}

TEST_CASE("unseen waits: time in which nothing is sampled is not filled") {
  Fed fed(1);
  for (uint64_t i = 0; i < 10; ++i) second(fed, i, 0.4);
  fed.stretch(10 * kEvery, 11 * kEvery, 0, 0, 0);
  for (uint64_t i = 11; i < 20; ++i) second(fed, i, 0.4);
  const Estimate all = waiting(fed);
  CHECK(all.at_least);
  CHECK(all.value_ns == doctest::Approx(9 * 400e6 + 40e6 + 9 * 400e6));
}

TEST_CASE("unseen waits: a look into the samples has them, too") {
  Fed fed(1);
  for (uint64_t i = 0; i < 10; ++i) second(fed, i, 0.4);
  const WindowStacks stacks = fed.store.stacks({0, 10 * kEvery});
  CHECK(double(stacks.totals.samples.off_ns()) == doctest::Approx(waiting(fed).value_ns));
  REQUIRE(stacks.stacks.size() == 1);
  CHECK(stacks.stacks[0].in_program.off_ns() == stacks.totals.samples.off_ns());
}

TEST_CASE("unseen waits: and so has the picture of it") {
  Fed fed(1);
  for (uint64_t i = 0; i < 10; ++i) second(fed, i, 0.4);
  uint64_t sum = 0;
  const auto rows = fed.store.activity({0, 10 * kEvery}, 20);
  for (const uint64_t column : rows[0]) {
    CHECK(column == doctest::Approx(200e6).epsilon(0.25));
    sum += column;
  }
  CHECK(double(sum) == doctest::Approx(waiting(fed).value_ns).epsilon(0.01));
}

// A thread that waits in operation 0 or works, for times of some 30 ms each.
TEST_CASE("unseen waits: nine of ten intervals and more hold what was not seen") {
  std::mt19937_64 random(5);
  std::exponential_distribution<double> length(1.0 / 30e6);
  int held = 0;
  constexpr int kRuns = 400;
  double bias = 0;
  for (int run = 0; run < kRuns; ++run) {
    Fed fed(1);
    uint64_t truth = 0, seen_to = 0;
    const auto look = [&](uint64_t from, uint64_t to) {  // to a part of what waited
      for (uint64_t start = from / kEvery * kEvery; start < to; start += kEvery) {
        const Window part = common({from, to}, {start, start + kLook});
        if (part.length() > 1) fed.off(part.end_ns - 1, {0}, part.length() - 1, part.length() - 1);
      }
    };
    const auto stretches = [&](uint64_t until) {
      for (; seen_to + kEvery <= until; seen_to += kEvery) {
        fed.stretch(seen_to, seen_to + kLook, 100, 0);
        fed.stretch(seen_to + kLook, seen_to + kEvery, 100, 0, 0);
      }
    };
    constexpr uint64_t kEnd = 20 * kEvery;
    for (uint64_t at = 0; at < kEnd;) {
      const uint64_t wait_end = std::min(kEnd, at + uint64_t(length(random)));
      truth += wait_end - at;
      stretches(at / kEvery * kEvery);
      look(at, wait_end);
      at = std::min(kEnd, wait_end + uint64_t(length(random)));
    }
    stretches(kEnd);
    const Estimate e = waiting(fed);
    held += e.low_ns <= double(truth) && double(truth) <= e.high_ns;
    bias += (e.value_ns - double(truth)) / double(truth) / kRuns;
  }
  CHECK(held >= kRuns * 9 / 10);
  CHECK(std::abs(bias) < 0.02);
}
