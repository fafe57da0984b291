// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace compmond::serve {

// 128 random bits in hex.
Result<std::string> new_token();

// The first line of a file that only its owner may read: 16 to 4,096 printable characters without
// blanks. Exit::kNoInput, kNoPermission or kData where it is not.
Result<std::string> read_token(const std::string& path);

// In a time that does not tell how much of it is right.
bool same_token(std::string_view a, std::string_view b);

}  // namespace compmond::serve
