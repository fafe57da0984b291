// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

// Numbers and names as people read them: three or four significant digits, the unit with the
// number, thousands separated. Nothing above zero is shown as zero. UTF-8.
namespace compmond::ui {

std::string duration_text(double ns);        // "0", "812 ns", "4.62 ms", "3.46 s", "75.0 s"
std::string count_text(uint64_t count);      // "1,740"
std::string short_count_text(double count);  // "960", "1,740", "23.4k", "1.20M"
std::string rate_text(double per_second);    // "0.20/s", "42/s", "11,240/s"
std::string percent_text(double percent);    // "0.4 %", "<0.1 %", "97 %"
std::string hotness_text(double hotness);    // "0" to "100", "<1" between 0 and 1
std::string bytes_text(uint64_t bytes);      // "31 MiB"
std::string ago_text(double seconds);        // "12 s ago", "3 min ago"
// A moment on an axis whose ticks are `step_ns` apart: just the decimals that the step needs.
std::string moment_text(double ns, double step_ns);  // "2.05 s", "14 s", "1:02 min"

// The last part of a component's path.
std::string_view leaf(std::string_view path);
std::string thread_name(std::string_view name, int64_t tid);  // "worker  4712", "thread 4712"
// Without control characters, escape sequences and direction overrides, ill-formed UTF-8 replaced:
// names come from files that nobody vouches for.
std::string clean(std::string_view text);

}  // namespace compmond::ui
