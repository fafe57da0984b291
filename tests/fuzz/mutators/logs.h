// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "mutate.h"

namespace compmond::fuzz {

// A small log in which there is something of everything.
std::string sound_log();

// One change of a log behind its hashes: of what stands in a chunk, of what its head says, of the
// order of chunks; every chunk is packed and sealed anew, and has an index that fits now and then.
// Empty where there is no chunk.
std::string mutated_log(std::string_view log, Dice& dice);

}  // namespace compmond::fuzz
