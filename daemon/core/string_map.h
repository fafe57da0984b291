// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace compmond {

// Lets a map of strings be asked for a view without making a string of it.
struct StringHash : std::hash<std::string_view> {
  using is_transparent = void;
};
template <class Value>
using StringMap = std::unordered_map<std::string, Value, StringHash, std::equal_to<>>;

}  // namespace compmond
