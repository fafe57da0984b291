// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace compmond::names {

// True when the whole `text` matches `pattern`, in which `*` stands for any characters and `?` for
// one. Takes at most pattern × text steps and no memory.
bool wildcard_match(std::string_view pattern, std::string_view text);

}  // namespace compmond::names
