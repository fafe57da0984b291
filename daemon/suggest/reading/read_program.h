// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/result.h"
#include "prepare/resolve.h"
#include "suggest/program.h"

namespace compmond::suggest {

// What `files` (the main executables first) say of the program: their functions with names, and
// which of those call which directly. In a child without privileges, as prepare::resolve; libraries
// that cannot be read are left out. Exit::kData where a main executable cannot be read. One thread.
Result<Program> read_program(const std::vector<prepare::ImageFile>& files);

}  // namespace compmond::suggest
