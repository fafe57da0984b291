// SPDX-License-Identifier: Apache-2.0
#include "text/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <ctime>

namespace compmond::text {
namespace {

// Three significant digits, judged after rounding: 9.996 is 10.0, not 10.00.
std::string digits(double value) {
  return fmt::format("{:.{}f}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
}

}  // namespace

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || at != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::string duration(double ns) {
  struct Unit {
    double ns;
    double below;  // in this unit; what would round up to it belongs to the next one
    const char* name;
  };
  static constexpr std::array<Unit, 5> kUnits{{{1e3, 999.5, "µs"},
                                               {1e6, 999.5, "ms"},
                                               {1e9, 119.5, "s"},
                                               {60e9, 119.5, "min"},
                                               {3600e9, 47.95, "h"}}};
  if (!std::isfinite(ns)) return "–";
  if (ns <= 0) return "0 ns";
  if (ns < 999.5) return fmt::format("{:.0f} ns", std::max(1.0, ns));
  for (const Unit& unit : kUnits)
    if (ns / unit.ns < unit.below) return fmt::format("{} {}", digits(ns / unit.ns), unit.name);
  return digits(ns / 86400e9) + " d";
}

std::string count(uint64_t n) {
  std::string text = fmt::to_string(n);
  for (size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, 1, ',');
  return text;
}

std::string counted(uint64_t n, std::string_view one, std::string_view many) {
  if (n == 1) return fmt::format("1 {}", one);
  return many.empty() ? fmt::format("{} {}s", count(n), one) : fmt::format("{} {}", count(n), many);
}

std::string short_count(double n) {
  if (!std::isfinite(n)) return "–";
  if (n > 0 && n < 0.5) return "<1";
  if (n < 9'999.5) return count(uint64_t(std::llround(std::max(n, 0.0))));
  if (n < 999.5e3) return digits(n / 1e3) + "k";
  if (n < 999.5e6) return digits(n / 1e6) + "M";
  return digits(n / 1e9) + "G";
}

std::string percent(double percent) {
  if (!std::isfinite(percent)) return "–";
  if (percent > 0 && percent < 0.01) return "<0.01 %";
  return percent <= 0 ? "0 %" : digits(percent) + " %";
}

std::string whole_percent(double percent) {
  if (!std::isfinite(percent)) return "–";
  return percent > 0 && percent < 1 ? "<1 %" : fmt::format("{:.0f} %", std::max(percent, 0.0));
}

std::string probability(double probability) {
  if (probability >= 1) return "100 %";
  return percent(probability > 0.99 ? std::min(100 * probability, 99.9) : 100 * probability);
}

std::string hertz(double hz) {
  const bool whole = hz >= 0 && hz < 1e15 && hz == std::floor(hz);
  return (whole ? count(uint64_t(hz)) : rate(hz)) + " Hz";
}

std::string rate(double per_second) {
  if (!std::isfinite(per_second)) return "–";
  if (per_second > 0 && per_second < 0.01) return "<0.01";
  if (per_second <= 0) return "0";
  return per_second < 99.95 ? digits(per_second) : count(uint64_t(std::llround(per_second)));
}

std::string per_second(double per_second) { return rate(per_second) + "/s"; }

std::string hotness(double hotness) {
  if (!std::isfinite(hotness)) return "–";
  const double h = std::clamp(hotness, 0.0, 100.0);
  return h > 0 && h < 1 ? "<1" : fmt::format("{:.0f}", h);
}

std::string bytes(uint64_t bytes) {
  constexpr std::array<const char*, 4> kUnits = {"B", "KiB", "MiB", "GiB"};
  double value = double(bytes);
  size_t unit = 0;
  for (; value >= 1023.5 && unit + 1 < kUnits.size(); ++unit) value /= 1024;
  return fmt::format("{:.{}f} {}", value, unit > 0 && value < 9.95 ? 1 : 0, kUnits[unit]);
}

std::string ago(double seconds) {
  if (seconds < 0.95) return "just now";
  if (seconds < 59.5) return fmt::format("{:.0f} s ago", seconds);
  if (seconds < 3570) return fmt::format("{:.0f} min ago", seconds / 60);
  return fmt::format("{:.1f} h ago", seconds / 3600);
}

std::string time_of_day(double since_1970_s) {
  const auto seconds = std::time_t(since_1970_s);
  std::tm local{};
  ::localtime_r(&seconds, &local);
  return fmt::format("{:02}:{:02}:{:02}", local.tm_hour, local.tm_min, local.tm_sec);
}

std::string moment(double ns, double step_ns, double longest_ns) {
  if (step_ns < 1e3) return fmt::format("{:.{}f} µs", ns / 1e3, step_ns >= 100 ? 1 : 3);
  const double step_s = step_ns / 1e9;
  const int decimals = step_s >= 0.999 ? 0 : int(std::ceil(-std::log10(step_s) - 1e-9));
  const double seconds = ns / 1e9;
  if (std::max(seconds, longest_ns / 1e9) < 600) return fmt::format("{:.{}f} s", seconds, decimals);
  const auto whole = uint64_t(seconds + 0.5 * std::pow(10, -decimals));
  const double rest = std::max(0.0, seconds - double(whole));
  std::string text = whole >= 3600
                         ? fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60)
                         : fmt::format("{}:{:02}", whole / 60, whole % 60);
  if (decimals > 0) text += fmt::format("{:.{}f}", rest, decimals).substr(1);
  return text;
}

}  // namespace compmond::text
