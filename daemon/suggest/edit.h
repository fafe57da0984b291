// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "suggest/draft.h"

namespace compmond::suggest {

// What one line of a person does to a draft.
//   (nothing)       accept it as it is
//   drop 3          without component 3
//   rename 3 NAME   component 3 has that name
//   merge 2 5 …     components 2, 5 … are one, by the name of the first
//   quit            no spec at all
enum class Edited { kChanged, kAccepted, kQuit };
// Exit::kUsage where it says nothing that can be done, with what can.
Result<Edited> edit(Draft& draft, std::string_view line);
// What can be said, in a line.
std::string edit_help();

}  // namespace compmond::suggest
