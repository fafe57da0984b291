// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace compmond::ui {

// The last part of an operation's name, for where the whole has no room: "open" of
// "fh::FileHandler::open(char const*)".
std::string brief_operation(const std::string& name);
// The last part of a function's name, without parameters: "accept" for
// "fh::FileEncrypter::accept(int)".
std::string short_operation(std::string_view name);

}  // namespace compmond::ui
