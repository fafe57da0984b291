// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace compmond::prepare {

// Paths of the libraries that the dynamic loader would map for a program that is not running, in
// its order: asked of the system's loader itself (ld.so --list), which runs none of the program's
// code, in a child that can only read (guard/read_only.h). Empty for a static program, or when the
// loader does not answer within its deadline; Exit::kUnavailable where there can be no such child.
// The paths are as untrusted as the program.
Result<std::vector<std::string>> libraries_of(const std::string& program);

// The same of what the loader has said: lines are
// "\tlibm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x…)", the loader and the vdso having no arrow.
// Folders are named as their owners like: what does not look so is taken for no answer.
std::vector<std::string> libraries_listed(const std::string& listing);

}  // namespace compmond::prepare
