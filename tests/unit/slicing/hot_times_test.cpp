// SPDX-License-Identifier: Apache-2.0
#include "slicing/hot_times.h"

#include <doctest/doctest.h>

using namespace compmond::run;

TEST_CASE("hot times: of what cooled down one knows until when it was hot") {
  HotTimes times(2);
  CHECK(times.until_ns(0, 5.0) == 0);
  times.hot(0, 100, 10);
  times.hot(0, 80, 20);
  CHECK(times.until_ns(0, 5.0) == 20);
  CHECK(times.until_ns(0, std::nullopt) == 20);
  CHECK(times.until_ns(1, 5.0) == 0);
}

TEST_CASE("hot times: what is at the edge, and hot now and then, is no other program each time") {
  HotTimes times(1);
  times.hot(0, 100, 10);
  CHECK(times.until_ns(0, 60.0) == 0);
  CHECK(times.until_ns(0, 20.0) == 10);
}
