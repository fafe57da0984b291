// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

// Small rules about texts that a spec may hold, and safe ways to quote what it should not have
// held.
namespace compmond::spec {

// `text` cut to `limit` bytes (with "…"), with control characters and ill-formed UTF-8 made
// visible.
std::string printable(std::string_view text, size_t limit = 60);
inline std::string in_quotes(std::string_view text) { return "'" + printable(text) + "'"; }

// One reference token of a JSON pointer (RFC 6901), printable.
std::string pointer_part(std::string_view key);

// Control characters, line separators and direction overrides: they would change how a terminal
// shows a name.
bool has_control(std::string_view text);

// The known word that `text` was most likely meant to be, or empty.
std::string nearest(std::string_view text, std::span<const std::string_view> known);

// "a, b and c".
std::string listed(std::span<const std::string_view> words);

}  // namespace compmond::spec
