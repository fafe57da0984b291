// SPDX-License-Identifier: Apache-2.0
#include "ui/kit/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace compmond::ui {
namespace {

// Three significant digits below 1000, all whole digits above, thousands separated.
std::string digits(double value) {
  if (value >= 999.5) return count_text(uint64_t(std::llround(value)));
  if (value >= 99.95) return fmt::format("{:.0f}", value);
  if (value >= 9.995) return fmt::format("{:.1f}", value);
  return fmt::format("{:.2f}", value);
}

bool is_control(uint32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x200b && c <= 0x200f) ||
         (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x2069) || c == 0xfeff;
}

struct CodePoint {
  uint32_t code;
  size_t bytes;  // 0: ill-formed
};

CodePoint front(std::string_view text) {
  const auto lead = uint8_t(text[0]);
  if (lead < 0x80) return {lead, 1};
  const size_t bytes = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
  if (bytes == 0 || text.size() < bytes) return {0, 0};
  uint32_t code = lead & (0xff >> (bytes + 1));
  for (size_t i = 1; i < bytes; ++i) {
    if ((uint8_t(text[i]) & 0xc0) != 0x80) return {0, 0};
    code = code << 6 | (uint8_t(text[i]) & 0x3f);
  }
  return {code, bytes};
}

}  // namespace

std::string duration_text(double ns) {
  if (!(ns > 0)) return "0";
  if (ns < 999.5) return fmt::format("{} ns", std::max(1.0, std::round(ns)));
  if (ns < 999.5e3) return digits(ns / 1e3) + " µs";
  if (ns < 999.5e6) return digits(ns / 1e6) + " ms";
  if (ns < 600e9) return digits(ns / 1e9) + " s";
  if (ns < 600 * 60e9) return digits(ns / 60e9) + " min";
  return digits(ns / 3600e9) + " h";
}

std::string count_text(uint64_t count) {
  std::string text = std::to_string(count);
  for (size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, 1, ',');
  return text;
}

std::string short_count_text(double count) {
  if (count > 0 && count < 0.5) return "<1";
  if (count < 9'999.5) return count_text(uint64_t(std::llround(count)));
  if (count < 999.5e3) return digits(count / 1e3) + "k";
  if (count < 999.5e6) return digits(count / 1e6) + "M";
  return digits(count / 1e9) + "G";
}

std::string rate_text(double per_second) {
  if (!(per_second > 0)) return "0/s";
  if (per_second < 0.005) return "<0.01/s";
  if (per_second >= 99'995) return short_count_text(per_second) + "/s";
  if (per_second >= 9.95) return count_text(uint64_t(std::llround(per_second))) + "/s";
  return fmt::format("{:.{}f}/s", per_second, per_second >= 0.995 ? 1 : 2);
}

std::string percent_text(double percent) {
  if (!(percent > 0)) return "0 %";
  if (percent < 0.05) return "<0.1 %";
  return fmt::format("{:.{}f} %", percent, percent < 9.95 ? 1 : 0);
}

std::string hotness_text(double hotness) {
  if (hotness > 0 && hotness < 0.5) return "<1";
  return fmt::format("{:.0f}", hotness);
}

std::string bytes_text(uint64_t bytes) {
  constexpr std::array<const char*, 4> kUnits = {"B", "KiB", "MiB", "GiB"};
  double value = double(bytes);
  size_t unit = 0;
  for (; value >= 1023.5 && unit + 1 < kUnits.size(); ++unit) value /= 1024;
  return fmt::format("{:.{}f} {}", value, unit > 0 && value < 9.95 ? 1 : 0, kUnits[unit]);
}

std::string ago_text(double seconds) {
  if (seconds < 0.95) return "just now";
  if (seconds < 59.5) return fmt::format("{:.0f} s ago", seconds);
  if (seconds < 3570) return fmt::format("{:.0f} min ago", seconds / 60);
  return fmt::format("{:.1f} h ago", seconds / 3600);
}

std::string moment_text(double ns, double step_ns) {
  if (step_ns < 1e3) return fmt::format("{:.{}f} µs", ns / 1e3, step_ns >= 100 ? 1 : 3);
  const double step_s = step_ns / 1e9;
  const int decimals = step_s >= 0.999 ? 0 : int(std::ceil(-std::log10(step_s) - 1e-9));
  const double seconds = ns / 1e9;
  if (seconds < 600) return fmt::format("{:.{}f} s", seconds, decimals);
  // From ten minutes on like a clock: "12:05", "1:02:05".
  const auto whole = uint64_t(seconds + 0.5 * std::pow(10, -decimals));
  const double rest = std::max(0.0, seconds - double(whole));
  std::string text = whole >= 3600
                         ? fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60)
                         : fmt::format("{}:{:02}", whole / 60, whole % 60);
  if (decimals > 0) text += fmt::format("{:.{}f}", rest, decimals).substr(1);
  return text;
}

std::string_view leaf(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string clean(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    if (text[0] == '\x1b' && text.size() > 1 && text[1] == '[') {  // a terminal's colours
      const size_t end = text.find_first_not_of("0123456789;?", 2);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
      continue;
    }
    const CodePoint c = front(text);
    if (c.bytes == 0)
      out += "\uFFFD";
    else if (!is_control(c.code))
      out += text.substr(0, c.bytes);
    text.remove_prefix(std::max<size_t>(1, c.bytes));
  }
  return out;
}

std::string thread_name(std::string_view name, int64_t tid) {
  return name.empty() ? fmt::format("thread {}", tid) : fmt::format("{}  {}", clean(name), tid);
}

}  // namespace compmond::ui
