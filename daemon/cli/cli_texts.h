// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

// Bits of the command line's help.
namespace compmond::cli {

template <class Value>
std::vector<std::string> keys(const std::map<std::string, Value>& values) {
  std::vector<std::string> out;
  for (const auto& [key, value] : values) out.push_back(key);
  return out;
}

// "a, b or c".
inline std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (size_t i = 0; i < names.size(); ++i)
    out += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
  return out;
}

}  // namespace compmond::cli
