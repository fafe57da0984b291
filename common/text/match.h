// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

// Names held against each other, and their parts. Letters are those of ASCII: no locale has a say.
namespace compmond::text {

std::string lower(std::string_view text);
// Equal but for the case of letters.
bool same(std::string_view one, std::string_view other);
// Whether `part`, in whatever case, is in `text`; an empty one always is.
bool contains(std::string_view text, std::string_view part);
// What is behind the last slash, of a file or of a component: all of it where there is none.
std::string_view leaf(std::string_view path);
// Whether a path is `around` or lies inside it.
bool inside(std::string_view path, std::string_view around);

}  // namespace compmond::text
