// SPDX-License-Identifier: Apache-2.0
#include "cli/validators.h"

#include <fmt/format.h>

#include <cmath>

#include "text/moment.h"
#include "text/numbers.h"

namespace compmond::cli {
namespace {

constexpr const char *kOff = "off", *kMax = "max";

// NaN where the text is anything else.
double number(const std::string& text) { return text::parse_number(text).value_or(std::nan("")); }

// `fine` of the text; else "'text' is not what".
CLI::Validator check(bool (*fine)(const std::string&), const char* what) {
  return {[=](const std::string& text) {
            return fine(text) ? std::string() : fmt::format("'{}' is not {}", text, what);
          },
          ""};
}

}  // namespace

CLI::Validator above_zero(const char* what) {
  return check([](const std::string& text) { return number(text) > 0; }, what);
}

CLI::Validator not_empty(const char* what) {
  return check([](const std::string& text) { return !text.empty(); }, what);
}

CLI::Validator within(double low, double high) {
  return {[=](const std::string& text) {
            const double value = number(text);
            return value >= low && value <= high
                       ? std::string()
                       : fmt::format("'{}' is not a number from {} to {}", text, low, high);
          },
          ""};
}

CLI::Validator a_duration() {
  return {[](std::string& text) {
            const std::string given = text;
            double unit = 1;
            if (text.size() > 1 && std::string_view("smh").find(text.back()) != std::string::npos) {
              unit = text.back() == 's' ? 1 : text.back() == 'm' ? 60 : 3600;
              text.pop_back();
            }
            const double value = number(text) * unit;
            text = fmt::to_string(value);
            return value > 0
                       ? std::string()
                       : fmt::format("'{}' is not a time above 0, as in 30, 90s, 5m or 2h", given);
          },
          ""};
}

CLI::Validator a_moment() {
  return check([](const std::string& text) { return text::parse_moment(text).has_value(); },
               "a time: seconds, or a time of day such as 2024-05-17T08:30:00Z");
}

CLI::Validator power_of_two() {
  return check(
      [](const std::string& text) {
        const double value = number(text);
        return value >= 1 && value <= 1024 && value == std::floor(value) &&
               (int(value) & (int(value) - 1)) == 0;
      },
      "a power of two from 1 to 1024");
}

CLI::Validator percent_or_off() {
  return check(
      [](const std::string& text) {
        return text == kOff || (number(text) > 0 && number(text) <= 100);
      },
      "a percentage above 0, at most 100, or off");
}

CLI::Validator rate_or_off() {
  return check(
      [](const std::string& text) {
        return text == kOff || (number(text) >= 1 && number(text) <= 10'000);
      },
      "a rate from 1 to 10000, or off");
}

CLI::Validator number_or_max() {
  return check(
      [](const std::string& text) {
        return text == kMax || (number(text) > 0 && number(text) <= 1e6);
      },
      "a speed above 0, or max");
}

double number_or_word(const std::string& text) {
  return text == kOff || text == kMax ? 0 : number(text);
}

}  // namespace compmond::cli
