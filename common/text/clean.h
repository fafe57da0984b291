// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

// Text from elsewhere made fit to be shown: names come from files that nobody vouches for. What
// steers a terminal or hides itself are control characters, line separators, characters without a
// width, and direction overrides.
namespace compmond::text {

bool has_control(std::string_view text);

// `text` without any of these and without escape sequences, ill-formed UTF-8 replaced.
std::string clean(std::string_view text);

// For messages about a text: all of that made visible (\u001b, \xff), cut to `limit` bytes with
// "…".
std::string printable(std::string_view text, size_t limit = 60);
inline std::string in_quotes(std::string_view text) { return "'" + printable(text) + "'"; }

}  // namespace compmond::text
