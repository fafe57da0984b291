// SPDX-License-Identifier: Apache-2.0
#include "slicing/paid.h"

#include <doctest/doctest.h>

using namespace compmond::run;

TEST_CASE("paid: the next slice waits until the last one is within the budget") {
  Paid paid;
  CHECK(paid.gap_ns(0.05) == 0);
  paid.begin(1'000'000'000, 500'000'000);
  paid.slice(50e6);
  CHECK(paid.gap_ns(0.05) == 1'000'000'000);
}

TEST_CASE("paid: the budget is one of the CPU time that the targets use") {
  Paid paid;
  paid.begin(1'000'000'000, 500'000'000);
  paid.begin(3'000'000'000, 4'500'000'000);  // two cores
  paid.slice(50e6);
  CHECK(paid.gap_ns(0.05) == 500'000'000);
  paid.begin(4'000'000'000, 4'500'000'000);  // idle: 1 % of a core is 5 % of a fifth
  CHECK(double(paid.gap_ns(0.05)) == doctest::Approx(5e9));
  paid.slice(1e9);
  CHECK(paid.gap_ns(0.05) == 20'000'000'000);
}
