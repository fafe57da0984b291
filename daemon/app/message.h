// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"

namespace compmond::app {

// Messages for people go to stderr, each starting with "compmond: ".
void say(const std::string& text);

// Prints an error as what, why and next, each on its own line, and returns its exit code.
int report(const Error& error);

}  // namespace compmond::app
