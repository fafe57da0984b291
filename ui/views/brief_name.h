// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace compmond::ui {

// The last part of an operation's name, for where the whole has no room: "open" of
// "fh::FileHandler::open(char const*)".
std::string brief_operation(const std::string& name);

}  // namespace compmond::ui
