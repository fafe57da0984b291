// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ctime>
#include <string>

namespace compmond {

inline uint64_t ns_of(const timespec& time) {
  return uint64_t(time.tv_sec) * 1'000'000'000u + uint64_t(time.tv_nsec);
}

// CLOCK_MONOTONIC in nanoseconds: the one clock of events, history and views.
inline uint64_t monotonic_ns() {
  timespec ts{};
  ::clock_gettime(CLOCK_MONOTONIC, &ts);
  return ns_of(ts);
}

// Now as RFC 3339 in UTC with milliseconds, for the edges only.
std::string wall_clock_rfc3339();

}  // namespace compmond
