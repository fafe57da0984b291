// SPDX-License-Identifier: Apache-2.0
#include "geometry/axis.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace compmond::geometry {
namespace {

constexpr uint64_t kSecond = 1'000'000'000, kMinute = 60 * kSecond, kHour = 60 * kMinute,
                   kDay = 24 * kHour;
// Between seconds and days people do not count in tens.
constexpr uint64_t kClockSteps[] = {
    10 * kSecond, 15 * kSecond, 30 * kSecond, kMinute,   2 * kMinute, 5 * kMinute, 10 * kMinute,
    15 * kMinute, 30 * kMinute, kHour,        2 * kHour, 3 * kHour,   6 * kHour,   12 * kHour};
constexpr size_t kMaxTicks = 10'000;

uint64_t decimal_step(double at_least, uint64_t unit) {
  for (uint64_t power = unit; power <= UINT64_MAX / 100; power *= 10)
    for (const uint64_t factor : {1, 2, 5})
      if (double(power * factor) >= at_least) return power * factor;
  return UINT64_MAX / 2;
}

// Rounded and in range: a double beyond 2^63 has no integer of its own.
uint64_t at_least_zero(double ns) {
  return ns > 0 ? uint64_t(std::llround(std::min(ns, 9.2e18))) : 0;
}

Axis placed(const Axis& axis, double start, uint64_t length, uint64_t lo, uint64_t hi) {
  Axis result = axis;
  length = std::min(length, hi - lo);
  result.start_ns = std::clamp(at_least_zero(start), lo, hi - length);
  result.end_ns = result.start_ns + length;
  return result;
}

}  // namespace

double Axis::ns_per_px() const {
  return length_px > 0 && end_ns > start_ns ? double(end_ns - start_ns) / length_px : 0;
}

double Axis::px(uint64_t at_ns) const {
  const double per = ns_per_px();
  if (per == 0) return from_px;
  const double from_start =
      at_ns >= start_ns ? double(at_ns - start_ns) : -double(start_ns - at_ns);
  return from_px + from_start / per;
}

uint64_t Axis::ns(double at_px) const {
  const double offset = (at_px - from_px) * ns_per_px();
  return offset >= 0 ? start_ns + at_least_zero(offset)
                     : start_ns - std::min(start_ns, at_least_zero(-offset));
}

uint64_t tick_step(const Axis& axis, double min_px) {
  const double at_least = std::max(1.0, axis.ns_per_px() * min_px);
  if (at_least <= 5.0 * kSecond) return decimal_step(at_least, 1);
  const auto step = std::find_if(std::begin(kClockSteps), std::end(kClockSteps),
                                 [&](uint64_t clock) { return double(clock) >= at_least; });
  return step != std::end(kClockSteps) ? *step : decimal_step(at_least, kDay);
}

std::vector<uint64_t> ticks(const Axis& axis, uint64_t step_ns, uint64_t origin_ns) {
  std::vector<uint64_t> result;
  if (step_ns == 0 || axis.end_ns < axis.start_ns) return result;
  // The first tick not before the start, wherever the origin lies.
  uint64_t at;
  if (origin_ns >= axis.start_ns) {
    at = axis.start_ns + (origin_ns - axis.start_ns) % step_ns;
  } else {
    const uint64_t over = (axis.start_ns - origin_ns) % step_ns;
    at = over == 0 ? axis.start_ns : axis.start_ns + (step_ns - over);
  }
  while (at <= axis.end_ns && result.size() < kMaxTicks) {
    result.push_back(at);
    if (at > UINT64_MAX - step_ns) break;
    at += step_ns;
  }
  return result;
}

Axis zoomed(const Axis& axis, double factor, double at_px, uint64_t lo_ns, uint64_t hi_ns,
            uint64_t min_ns) {
  if (!(factor > 0) || hi_ns <= lo_ns || axis.end_ns <= axis.start_ns) return axis;
  const double share =
      axis.length_px > 0 ? std::clamp((at_px - axis.from_px) / axis.length_px, 0.0, 1.0) : 0.5;
  const double length = double(axis.end_ns - axis.start_ns);
  const double wanted = std::clamp(length / factor, double(std::max<uint64_t>(min_ns, 1)),
                                   std::max(double(hi_ns - lo_ns), double(min_ns)));
  const double pivot = double(axis.start_ns) + share * length;
  return placed(axis, pivot - share * wanted, at_least_zero(wanted), lo_ns, hi_ns);
}

Axis panned(const Axis& axis, double by_px, uint64_t lo_ns, uint64_t hi_ns) {
  if (hi_ns <= lo_ns || axis.end_ns < axis.start_ns) return axis;
  return placed(axis, double(axis.start_ns) + by_px * axis.ns_per_px(), axis.end_ns - axis.start_ns,
                lo_ns, hi_ns);
}

}  // namespace compmond::geometry
