// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace compmond::text {

// A moment as people give it: seconds since a beginning, or a time of day.
struct Moment {
  std::optional<double> seconds;  // since the beginning; none: `epoch_ns`
  uint64_t epoch_ns = 0;          // ns since the epoch

  // In ns since the epoch; `begin_ns` is the beginning.
  uint64_t at(uint64_t begin_ns) const;
  // "12.5 s", "2024-05-17T08:30:00.250+0200" (this machine's zone; to the millisecond).
  std::string text() const;
};

// "12.5", "2024-05-17T08:30:00Z", "2024-05-17 08:30:00.25" (of this machine's time zone) or
// "2024-05-17T08:30:00+02:00"; nothing of anything else.
std::optional<Moment> parse_moment(const std::string& text);

}  // namespace compmond::text
