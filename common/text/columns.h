// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// Text in columns: one per code point.
namespace compmond::text {

size_t columns(std::string_view text);
// The mark that stands for what was cut out of a text.
constexpr const char* ellipsis(bool unicode) { return unicode ? "…" : ".."; }
// At most `width` columns: the middle gives way to `ellipsis`, since both ends of a name tell it
// apart; of a class as many of its packages as it takes. Of "from → to" both names give way, not
// the arrow.
std::string ellipsized(std::string_view text, size_t width, std::string_view ellipsis);
// The same with the end cut off, for sentences.
std::string cut(std::string_view text, size_t width, std::string_view ellipsis);
// The same with the beginning cut off, for qualified names: their ends tell them apart.
std::string cut_front(std::string_view text, size_t width, std::string_view ellipsis);
// Exactly `width` columns where `text` is not wider.
std::string padded(std::string_view text, size_t width, bool right);
// Every code point beyond ASCII replaced by one ASCII character.
std::string ascii(std::string_view text);

}  // namespace compmond::text
