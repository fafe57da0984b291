// SPDX-License-Identifier: Apache-2.0
#include "text/moment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <string_view>

#include "text/numbers.h"

namespace compmond::text {
namespace {

constexpr double kLongest = 1e9;  // seconds: decades; ns of it are a number still

// "+02:00", "-0530" or "Z" as seconds east of Greenwich.
std::optional<long> zone(std::string_view text) {
  if (text == "Z") return 0;
  if (text.size() == 6 && text[3] == ':') {
    std::string without(text.substr(0, 3));
    return zone(without.append(text.substr(4)));
  }
  if (text.size() != 5 || (text[0] != '+' && text[0] != '-')) return std::nullopt;
  int digits[4];
  for (int i = 0; i < 4; ++i) {
    digits[i] = text[size_t(i) + 1] - '0';
    if (digits[i] < 0 || digits[i] > 9) return std::nullopt;
  }
  const long hours = digits[0] * 10 + digits[1], minutes = digits[2] * 10 + digits[3];
  if (hours > 14 || minutes > 59) return std::nullopt;  // no zone is further east or west
  const long east = hours * 3600 + minutes * 60;
  return text[0] == '-' ? -east : east;
}

std::optional<uint64_t> time_of_day(std::string text) {
  if (text.size() < 19 || (text[10] != 'T' && text[10] != ' ')) return std::nullopt;
  text[10] = 'T';
  std::tm parts{};
  const char* rest = ::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
  if (!rest || rest != text.c_str() + 19) return std::nullopt;
  double fraction = 0;
  if (*rest == '.') {
    char* end = nullptr;
    fraction = std::strtod(rest, &end);
    if (end == rest + 1 || !(fraction >= 0 && fraction < 1)) return std::nullopt;
    rest = end;
  }
  parts.tm_isdst = -1;  // not known
  std::time_t seconds = 0;
  if (*rest == '\0') {
    seconds = std::mktime(&parts);
  } else {
    const auto east = zone(rest);
    if (!east) return std::nullopt;
    seconds = ::timegm(&parts) - *east;
  }
  if (seconds < 0 || double(seconds) > 9e9) return std::nullopt;
  return uint64_t(seconds) * 1'000'000'000 + uint64_t(std::llround(fraction * 1e9));
}

}  // namespace

uint64_t Moment::at(uint64_t begin_ns) const {
  return seconds ? begin_ns + uint64_t(std::llround(*seconds * 1e9)) : epoch_ns;
}

std::string Moment::text() const {
  if (seconds) return fmt::format("{} s", *seconds);
  const auto whole = std::time_t(epoch_ns / 1'000'000'000);
  std::tm local{};
  ::localtime_r(&whole, &local);
  char out[40];
  const std::string day(out, std::strftime(out, sizeof out, "%Y-%m-%dT%H:%M:%S", &local));
  const std::string zone(out, std::strftime(out, sizeof out, "%z", &local));
  const uint64_t ms = epoch_ns / 1'000'000 % 1000;
  return day + (ms > 0 ? fmt::format(".{:03}", ms) : "") + zone;
}

std::optional<Moment> parse_moment(const std::string& text) {
  if (const auto seconds = parse_number(text))
    return *seconds >= 0 && *seconds <= kLongest ? std::optional(Moment{*seconds, 0})
                                                 : std::nullopt;
  if (const auto epoch_ns = time_of_day(text)) return Moment{std::nullopt, *epoch_ns};
  return std::nullopt;
}

}  // namespace compmond::text
