// SPDX-License-Identifier: Apache-2.0
#include "pipeline/event_rate.h"

#include <doctest/doctest.h>

#include "list_source.h"

using namespace compmond;
using pipeline::test::kMs;

TEST_CASE("event rate: is of the last second, or since the last look where that is longer ago") {
  pipeline::EventRate rate;
  CHECK(rate.per_second() == 0);
  history::Checkpoint checkpoint;
  const auto look = [&](uint64_t ms, uint64_t delivered) {
    checkpoint.as_of_ns = ms * kMs;
    checkpoint.capture.delivered = delivered;
    rate.add(checkpoint);
    return rate.per_second();
  };
  CHECK(look(500, 1000) == doctest::Approx(2000));
  CHECK(look(500, 1000) == doctest::Approx(2000));
  for (uint64_t ms = 600; ms <= 3000; ms += 100) look(ms, 1000);
  CHECK(look(3100, 1000) == 0);
  CHECK(look(3200, 1500) == doctest::Approx(500));
  CHECK(look(13'200, 11'500) == doctest::Approx(1000));
}
