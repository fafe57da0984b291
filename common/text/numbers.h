// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Numbers for people, with one rule everywhere: three significant digits, the unit with the number
// and chosen so that the number is easy to read, thousands separated in what is counted. Nothing
// above zero is shown as zero; what is not finite is "–". UTF-8.
namespace compmond::text {

// The whole text as a finite decimal number: "12.5", "-3", "1e6".
std::optional<double> parse_number(std::string_view text);

// "0 ns", "870 ns", "12.4 µs", "500 ms", "1.30 s", "90.0 s"; from two minutes on "5.00 min", from
// two hours on "2.50 h", from two days on "3.00 d".
std::string duration(double ns);
std::string count(uint64_t n);  // "1,234,567"
// "1 call", "1,234 calls"; `many` where that is not `one` with an s.
std::string counted(uint64_t n, std::string_view one, std::string_view many = {});
std::string short_count(double n);          // "960", "1,740", "23.4k", "1.20M"
std::string percent(double percent);        // "50.0 %", "0.84 %", "<0.01 %"
std::string whole_percent(double percent);  // "50 %", "<1 %": of what is known no better
// Of 0 to 1, in percent; certain only where it is: "33.3 %", "99.9 %", "100 %".
std::string probability(double probability);
std::string hertz(double hz);                  // a rate that was set: "199 Hz", "0.50 Hz"
std::string rate(double per_second);           // "1,234", "12.5", "0.20"
std::string per_second(double per_second);     // the same with its unit: "12.5/s"
std::string hotness(double hotness);           // 0 to 100 without decimals, "<1" between 0 and 1
std::string bytes(uint64_t bytes);             // "31 MiB", "1.5 GiB"
std::string ago(double seconds);               // "just now", "12 s ago", "3 min ago"
std::string time_of_day(double since_1970_s);  // "12:03:07", as local clocks show it
// A moment on an axis whose ticks are `step_ns` apart, with just the decimals that the step needs:
// "2.05 s", "14 s"; where `longest_ns`, the last moment beside it (0: this one), is at ten minutes
// or later like a clock: "9:00", "12:05", "1:02:05".
std::string moment(double ns, double step_ns, double longest_ns = 0);

}  // namespace compmond::text
