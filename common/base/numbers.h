// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

// Numbers for people. None of them shows something above zero as zero.
namespace compmond {

// "1.30 s", "500 ms", "12.4 µs", "870 ns", "2.50 min": three significant digits, unit chosen for
// people.
std::string duration_text(uint64_t ns);
// Thousands separated: "1,234,567".
std::string count_text(uint64_t n);
// Three significant digits and a unit: "50.0 %", "0.84 %", "<0.01 %".
std::string percent_text(double percent);
// "1,234", "12.5", "0.20": calls per second.
std::string rate_text(double per_second);
// 0..100 without decimals, "<1" between 0 and 1.
std::string hotness_text(double hotness);

}  // namespace compmond
