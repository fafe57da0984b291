// SPDX-License-Identifier: Apache-2.0
#include "text/moment.h"

#include <doctest/doctest.h>

using compmond::text::parse_moment;

namespace {

uint64_t at(const char* text, uint64_t begin_ns = 0) {
  const auto moment = parse_moment(text);
  REQUIRE(moment);
  return moment->at(begin_ns);
}

}  // namespace

TEST_CASE("moment: seconds count from the beginning") {
  CHECK(at("0", 7) == 7);
  CHECK(at("12.5", 1'000) == 12'500'001'000);
}

TEST_CASE("moment: a time of day is the same wherever the beginning is") {
  constexpr uint64_t kNoon = 1'715'947'200'000'000'000;  // date -u -d 2024-05-17T12:00:00 +%s
  CHECK(at("2024-05-17T12:00:00Z", 5) == kNoon);
  CHECK(at("2024-05-17 12:00:00Z") == kNoon);
  CHECK(at("2024-05-17T14:00:00+02:00") == kNoon);
  CHECK(at("2024-05-17T06:30:00-0530") == kNoon);
  CHECK(at("2024-05-17T12:00:00.25Z") == kNoon + 250'000'000);
}

TEST_CASE("moment: a time without a zone is of this machine's") {
  ::setenv("TZ", "UTC-3", 1);  // three hours east
  ::tzset();
  CHECK(at("2024-05-17T15:00:00") == at("2024-05-17T12:00:00Z"));
  ::unsetenv("TZ");
  ::tzset();
}

TEST_CASE("moment: what is neither is nothing") {
  for (const char* text : {"", "-1", "x", "1s", "nan", "inf", "2024-05-17", "2024-13-17T12:00:00Z",
                           "2024-05-17T12:00:00X", "2024-05-17T12:00:00+2", "2024-05-17T12:00:00.",
                           "2024-05-17T12:00:00+0a:00", "12:00:00", "1e30", "0x10",
                           "2024-05-17T12:00:00+15:00", "2024-05-17T12:00:00-02:60"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_moment(text));
  }
}
