// SPDX-License-Identifier: Apache-2.0
#include "snapshot/estimate_text.h"

#include <doctest/doctest.h>

namespace compmond::snapshot {
namespace {

constexpr TimeOf kReal = &Estimated::net_real_ns;

Estimated real(Estimate time, uint64_t samples) {
  Estimated out;
  out.net_real_ns = time;
  out.samples = samples;
  return out;
}

}  // namespace

TEST_CASE("estimates: a value has its spread, a bound has none, and what is not told is no zero") {
  const Estimated value = real({1.25e9, 1.2e9, 1.3e9}, 90), bound = real({1e7, 1e6, 1.2e7}, 4);
  CHECK(value_text(value, kReal) == "1.25 s");
  CHECK(spread_text(value, kReal) == "±4 %");
  CHECK(value_text(bound, kReal) == "<12.0 ms");
  CHECK(spread_text(bound, kReal).empty());
  CHECK_FALSE(is_value(bound, kReal));
  CHECK(is_told(bound, kReal));
  for (const Estimated& untold : {Estimated{}, real({}, 90)}) {
    CHECK(value_text(untold, kReal) == "–");
    CHECK(spread_text(untold, kReal).empty());
    CHECK_FALSE(is_told(untold, kReal));
    CHECK_FALSE(is_value(untold, kReal));
  }
}

TEST_CASE("estimates: nothing above zero is written as zero") {
  CHECK(value_text(real({0.3, 0.25, 0.35}, 90), kReal) != "0 ns");
  CHECK(spread_text(real({1e9, 999e6, 1001e6}, 90), kReal) == "±<1 %");
}

}  // namespace compmond::snapshot
