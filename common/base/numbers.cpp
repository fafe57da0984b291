// SPDX-License-Identifier: Apache-2.0
#include "base/numbers.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/result.h"

namespace compmond {
namespace {

// Decimals that leave three significant digits, judged after rounding: 9.996 is 10.0, not 10.00.
int decimals_of(double value) { return value < 9.995 ? 2 : value < 99.95 ? 1 : 0; }

}  // namespace

std::string duration_text(uint64_t ns) {
  struct Unit {
    double ns;
    double below;  // in this unit; what would round up to it belongs to the next one
    const char* name;
  };
  static constexpr std::array<Unit, 6> kUnits{{{1e3, 999.5, "µs"},
                                               {1e6, 999.5, "ms"},
                                               {1e9, 119.5, "s"},
                                               {60e9, 119.5, "min"},
                                               {3600e9, 47.95, "h"},
                                               {86400e9, HUGE_VAL, "d"}}};
  if (ns < 1000) return fmt::format("{} ns", ns);
  for (const Unit& unit : kUnits) {
    const double value = double(ns) / unit.ns;
    if (value < unit.below) return fmt::format("{:.{}f} {}", value, decimals_of(value), unit.name);
  }
  return {};
}

std::string count_text(uint64_t n) {
  const std::string digits = std::to_string(n);
  std::string text;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string percent_text(double percent) {
  if (!std::isfinite(percent)) return "–";
  if (percent > 0 && percent < 0.01) return "<0.01 %";
  return percent <= 0 ? "0 %" : fmt::format("{:.{}f} %", percent, decimals_of(percent));
}

std::string rate_text(double per_second) {
  if (!std::isfinite(per_second)) return "–";
  if (per_second > 0 && per_second < 0.01) return "<0.01";
  if (per_second <= 0) return "0";
  if (per_second < 99.95) return fmt::format("{:.{}f}", per_second, decimals_of(per_second));
  return count_text(uint64_t(std::llround(per_second)));
}

std::string hotness_text(double hotness) {
  if (!std::isfinite(hotness)) return "–";
  const double h = std::clamp(hotness, 0.0, 100.0);
  return h > 0 && h < 1 ? "<1" : fmt::format("{:.0f}", h);
}

}  // namespace compmond
