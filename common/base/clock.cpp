// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"

#include <fmt/format.h>

namespace compmond {

std::string wall_clock_rfc3339() {
  timespec ts{};
  ::clock_gettime(CLOCK_REALTIME, &ts);
  std::tm utc{};
  ::gmtime_r(&ts.tv_sec, &utc);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", utc.tm_year + 1900,
                     utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec,
                     ts.tv_nsec / 1'000'000);
}

}  // namespace compmond
