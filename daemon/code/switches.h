// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "elf/image.h"

namespace compmond::code {

// What an image's code says of stack switches.
struct StackSwitches {
  std::string found;  // a function that switches, or its address, for people; empty: none
  bool whole = true;  // all of the code was read, or something was found
};

// Looks for code that gives its thread another stack, to come back to this one: it loads %rsp with
// what does not come from its own stack, and keeps its own %rsp elsewhere. Code that keeps nothing
// (longjmp, what resumes after unwinding) leaves frames, and never comes back to them. The
// functions of the C library that switch are not told: who calls them imports them (RiskTraits).
StackSwitches find_stack_switches(const elf::Image& image);

}  // namespace compmond::code
