// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "suggest/entries.h"
#include "suggest/groups.h"
#include "suggest/program.h"

namespace compmond::suggest {

// For each of `groups` a name of its own that a spec takes: the last word of its scope where that
// says enough; of C with one entry the entry's; of what is left of a file the program's (`name`) or
// the library's.
std::vector<std::string> component_names(const std::string& name, const Program& program,
                                         const std::vector<Group>& groups,
                                         const std::vector<Part>& parts);

}  // namespace compmond::suggest
