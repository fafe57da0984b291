// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "mutate.h"

namespace compmond::fuzz {

// One change of a JSON text that leaves it one: a value, a type, a name, what stands where. Empty
// where it is none, or nested more than a hundred deep.
std::string mutated_json(std::string_view text, Dice& dice);

// The same as a custom mutator; begins with `sound` where the input is no JSON, and changes single
// bytes now and then.
size_t mutate_json(uint8_t* data, size_t size, size_t most, unsigned seed, std::string_view sound);

}  // namespace compmond::fuzz
