// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <chrono>
#include <numeric>

#include "estimate/estimates.h"
#include "samples.h"

using namespace compmond;
using namespace compmond::estimate;
using namespace compmond::estimate::samples;

namespace {

using Cells = std::vector<uint64_t>;

// 20 samples at 20 Hz: operation 0 in the first half of the second, 1 in the other one.
void half_and_half(Fed& fed, uint64_t number) {
  const uint64_t start = number * kSecond;
  for (uint64_t i = 0; i < 20; ++i) fed.on(start + (i + 1) * 50 * kMs - 1, {i < 10 ? 0 : 1});
  fed.stretch(start, start + kSecond, 20, kSecond);
}

uint64_t sum(const Cells& times) {
  return std::accumulate(times.begin(), times.end(), uint64_t{0});
}

// Within a thousandth of a column, for a sample's time ends at the sample.
void check(const Cells& got, const std::vector<double>& ms) {
  REQUIRE(got.size() == ms.size());
  for (size_t i = 0; i < ms.size(); ++i)
    CHECK_MESSAGE(double(got[i]) / 1e6 == doctest::Approx(ms[i]).epsilon(1e-3), "column " << i);
}

}  // namespace

TEST_CASE("sample activity: a sample lies over the time before it that it stands for") {
  Fed fed(2);
  half_and_half(fed, 0);
  const auto all = fed.store.activity({0, kSecond}, 4);
  check(all[0], {250, 250, 0, 0});
  check(all[1], {0, 0, 250, 250});
  // Columns that are shorter than what a sample stands for are as full as the program was busy.
  const auto near = fed.store.activity({400 * kMs, 600 * kMs}, 20);
  CHECK(sum(near[0]) == doctest::Approx(100e6).epsilon(1e-3));
  for (size_t i = 0; i < 10; ++i) CHECK(near[0][i] == doctest::Approx(10e6).epsilon(1e-3));
  for (size_t i = 10; i < 20; ++i) CHECK(near[1][i] == doctest::Approx(10e6).epsilon(1e-3));
}

TEST_CASE("sample activity: a wait lies where the thread waited, a short one over its weight") {
  Fed fed(2);
  fed.off(800 * kMs, {0}, 600 * kMs, 600 * kMs);
  fed.off(900 * kMs, {1}, kMs, 100 * kMs);
  fed.stretch(0, kSecond, 0, 0);
  const auto all = fed.store.activity({0, kSecond}, 10);
  check(all[0], {0, 0, 100, 100, 100, 100, 100, 100, 0, 0});
  check(all[1], {0, 0, 0, 0, 0, 0, 0, 0, 100, 0});
}

TEST_CASE("sample activity: what is below no operation, or not told yet, is in no row") {
  Fed fed(1);
  for (uint64_t i = 0; i < 20; ++i) fed.on((i + 1) * 50 * kMs - 1, {});
  fed.stretch(0, kSecond, 20, kSecond);
  fed.on(kSecond + 20 * kMs, {0});  // its stretch is not over
  CHECK(fed.store.activity({0, 2 * kSecond}, 8) == std::vector<Cells>{Cells(8)});
}

TEST_CASE("sample activity: what is no longer there in full lies evenly in its tile") {
  SampleStore::Options small;
  small.recent_bytes = 20 * sizeof(RecentSample);
  Fed fed(2, small);
  half_and_half(fed, 0);
  half_and_half(fed, 1);
  const auto all = fed.store.activity({0, 2 * kSecond}, 8);
  check(all[0], {125, 125, 125, 125, 250, 250, 0, 0});
  check(all[1], {125, 125, 125, 125, 0, 0, 250, 250});
}

TEST_CASE("sample activity: columns add up to what is estimated of the window") {
  Fed fed(3);
  for (uint64_t second = 0; second < 9; ++second) {
    for (uint64_t i = 0; i < 40; ++i)
      fed.on(second * kSecond + (i + 1) * 25 * kMs - 1, {int((i * 7 + second) % 3)});
    fed.off(second * kSecond + 700 * kMs, {1}, 30 * kMs, 30 * kMs);
    fed.stretch(second * kSecond, (second + 1) * kSecond, 40, 900 * kMs);
  }
  const Estimates estimates(fed.store, {0, 9 * kSecond});
  for (const size_t columns : {1, 7, 300, 4096}) {
    const auto all = fed.store.activity({0, 9 * kSecond}, columns);
    for (int c = 0; c < 3; ++c)
      CHECK(double(sum(all[size_t(c)])) ==
            doctest::Approx(estimates.component(c).own.all.value_ns).epsilon(1e-3));
  }
}

TEST_CASE("sample activity: a window without time or columns is empty") {
  Fed fed(1);
  half_and_half(fed, 0);
  CHECK(fed.store.activity({kSecond, kSecond}, 3) == std::vector<Cells>{Cells(3)});
  CHECK(fed.store.activity({0, kSecond}, 0) == std::vector<Cells>{{}});
  CHECK(fed.store.activity({5 * kSecond, 6 * kSecond}, 2) == std::vector<Cells>{Cells(2)});
}

TEST_CASE("sample activity: long waits in narrow columns cost no more than short ones") {
  Fed fed(100);
  constexpr uint64_t kWaits = 200'000;
  for (uint64_t i = 0; i < kWaits; ++i)
    fed.off(100 * kSecond + i, {int(i % 100)}, 100 * kSecond, 100 * kSecond);
  fed.stretch(0, 101 * kSecond, 0, 0);
  const auto took = [&](size_t columns) {
    const auto begin = std::chrono::steady_clock::now();
    fed.store.activity({0, 100 * kSecond}, columns);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  // Column by column it were 800 million additions in place of 200,000.
  const double few = took(1) + took(1) + took(1), many = took(4096);
  CHECK_MESSAGE(many < 100 * few, many << " s beside " << few << " s");
  const auto all = fed.store.activity({0, 100 * kSecond}, 4096);
  CHECK(double(sum(all[0])) == doctest::Approx(2000 * 100e9).epsilon(1e-2));
}
