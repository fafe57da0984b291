// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "estimate/estimates.h"
#include "samples.h"

using namespace compmond;
using namespace compmond::estimate;
using namespace compmond::estimate::samples;

namespace {

// A program that is on a CPU for `busy` of each second, a quarter of it at work for probes.
struct Probed : Fed {
  Probed() : Fed(1) { sees_probes = true; }
  void pass(uint64_t seconds, double busy = 1) {
    for (uint64_t end = second + seconds; second < end; ++second) {
      const auto samples = uint64_t(100 * busy);
      for (uint64_t i = 0; i < samples; ++i) {
        in_probe = i % 4 == 0;
        on(second * kSecond + i * kSecond / 100 + 1, {0});
      }
      stretch(second * kSecond, (second + 1) * kSecond, 100, uint64_t(busy * 1e9));
    }
  }
  std::vector<ProbeShare> shares(uint64_t from_s = 0, uint64_t to_s = 1000,
                                 size_t most = 100) const {
    return store.probe_shares({from_s * kSecond, to_s * kSecond}, most);
  }
  uint64_t second = 0;
};

}  // namespace

TEST_CASE("probe shares: each interval has ten seconds and their CPU time") {
  Probed fed;
  fed.pass(25);
  const auto shares = fed.shares();
  REQUIRE(shares.size() == 2);
  CHECK(shares[0].interval.start_ns == 0);
  CHECK(shares[0].interval.end_ns == 10 * kSecond);
  CHECK(shares[1].interval.start_ns == 10 * kSecond);
  CHECK(shares[1].cpu_ns == 10 * kSecond);
  CHECK(shares[1].in_probes.value_ns == doctest::Approx(2.5e9));
  CHECK(shares[1].in_probes.low_ns < 2.5e9);
  CHECK(shares[1].in_probes.high_ns > 2.5e9);
}

TEST_CASE("probe shares: that of a program which hardly runs takes as long as its samples do") {
  Probed fed;
  fed.pass(45, 0.12);  // 12 samples a second
  const auto shares = fed.shares();
  REQUIRE(shares.size() == 2);
  CHECK(shares[0].interval.end_ns == 17 * kSecond);
}

TEST_CASE("probe shares: time in which samples tell no probes is in none") {
  Probed fed;
  fed.pass(5);
  fed.sees_probes = false;
  fed.pass(3);
  fed.sees_probes = true;
  fed.pass(12);
  const auto shares = fed.shares();
  REQUIRE(shares.size() == 1);
  CHECK(shares[0].interval.start_ns == 8 * kSecond);
  CHECK(shares[0].interval.end_ns == 18 * kSecond);
}

TEST_CASE("probe shares: of a window the newest, and two of before where it has not so many") {
  Probed fed;
  fed.pass(61);
  CHECK(fed.shares().size() == 6);
  const auto newest = fed.shares(0, 1000, 3);
  REQUIRE(newest.size() == 3);
  CHECK(newest[0].interval.start_ns == 30 * kSecond);
  const auto late = fed.shares(58, 61);
  REQUIRE(late.size() == 2);
  CHECK(late[0].interval.start_ns == 40 * kSecond);
  CHECK(fed.shares(12, 15).size() == 2);
  CHECK(fed.shares(2, 5).size() == 1);
}

TEST_CASE("probe shares: a window's samples tell the time in probes where they can") {
  Probed fed;
  fed.pass(4);
  CHECK(Estimates(fed.store, {}).in_probes()->value_ns == doctest::Approx(1e9));
  Fed blind(1);
  blind.on(1, {0});
  blind.stretch(0, kSecond, 100, kSecond);
  CHECK_FALSE(Estimates(blind.store, {}).in_probes());
}
