// SPDX-License-Identifier: Apache-2.0
#include "budget/forecast.h"

#include <doctest/doctest.h>

#include <optional>

using namespace compmond;
using run::foresee;

namespace {

// A second of two CPUs: half a second for 100,000 calls, a fifth of one for transfers.
run::Seen two_cpus() {
  run::Seen out;
  out.loads = {{100'000, 0.3e9}, {0, 0.2e9, 0}};
  out.transfers_ns = 0.2e9;
  out.cpu_ns = 2e9;
  out.wall_ns = 1e9;
  return out;
}

}  // namespace

TEST_CASE(
    "forecast: of the targets' own time follows what transfers take, and how many calls come") {
  plan::Busy busy;
  foresee(two_cpus(), {true, 0}, busy);  // 1.3 s are their own
  CHECK(*busy.transfers_pct == doctest::Approx(100 * 0.2 / 1.5));
  CHECK(busy.whole_calls_s == doctest::Approx(100'000 * 2 / 1.3));
  CHECK(busy.whole_calls_least_s == doctest::Approx(100'000 * 2 / (2 - 0.7 * 0.7)));
  foresee(two_cpus(), {true, 2e-4}, busy);  // what is away would be 200,000 more in a second
  CHECK(busy.whole_calls_s == doctest::Approx(100'000 * 2 / 1.3 + 400'000));
  CHECK(busy.whole_calls_least_s == doctest::Approx(100'000 * 2 / (2 - 0.7 * 0.7) + 400'000));
}

TEST_CASE("forecast: what a look does not tell stays as it was") {
  plan::Busy busy;
  foresee(two_cpus(), {false, std::nullopt}, busy);
  CHECK_FALSE(busy.transfers_pct);
  CHECK(busy.whole_calls_s == 0);
  foresee(two_cpus(), {true, 0}, busy);
  const double transfers = *busy.transfers_pct, calls = busy.whole_calls_s;
  run::Seen seen = two_cpus();
  seen.transfers_ns = 0;
  foresee(seen, {false, std::nullopt}, busy);
  seen.cpu_ns = 0;
  foresee(seen, {true, 0}, busy);
  CHECK(*busy.transfers_pct == transfers);
  CHECK(busy.whole_calls_s == calls);
}

TEST_CASE("forecast: costs that are more than the time leave the targets a little of it") {
  plan::Busy busy;
  run::Seen seen = two_cpus();
  seen.transfers_ns = 3e9;
  foresee(seen, {true, 0}, busy);
  CHECK(*busy.transfers_pct == doctest::Approx(100 * 3 / 3.1));
  CHECK(busy.whole_calls_s == doctest::Approx(100'000 * 2 / 0.1));
  seen.transfers_ns = 1.3e9;  // nearly all, which a small error makes much of
  foresee(seen, {true, 0}, busy);
  CHECK(busy.whole_calls_s == doctest::Approx(100'000 * 2 / 0.2));
  CHECK(busy.whole_calls_least_s == doctest::Approx(100'000 * 2 / (2 - 0.7 * 1.8)));
}

TEST_CASE("forecast: calls of strangers are not told of") {
  plan::Busy busy;
  run::Seen seen = two_cpus();
  seen.loads[0].strangers = 50'000;
  foresee(seen, {true, 0}, busy);
  CHECK(busy.whole_calls_s == doctest::Approx(50'000 * 2 / 1.3));
}
