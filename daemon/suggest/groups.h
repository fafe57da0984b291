// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "suggest/program.h"

namespace compmond::suggest {

// Functions that belong together by their names.
struct Group {
  std::string scope;  // what their names begin with; empty: what is left of the image
  uint32_t image = 0;
  std::vector<uint32_t> functions;
  double share = 0;  // of all time, or where nothing was sampled of all code: its own
};

// At most `most` groups that no function is in twice, the heaviest first. From whole images on, the
// heaviest group is parted by the next words of its names, as long as parts are worth being told
// apart: by the time that is their own, or that they are on the stack; what is light is in no
// group.
std::vector<Group> groups_of(const Program& program, const Evidence& evidence, size_t most);

}  // namespace compmond::suggest
