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

}  // namespace compmond::cli
