// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "plan/way.h"

namespace compmond::inprocess {

// What ways of this engine come to.
struct Tally {
  size_t functions = 0, patched = 0;
  std::map<std::string, size_t> kinds;     // patches, by their kind
  std::map<std::string, size_t> refusals;  // functions, by the reason, without places
  size_t exits = 0;                        // ways out of them
  size_t joined_exits = 0;                 // of these, those that the entry's patch holds
  uint64_t bytes = 0;                      // written over
  uint64_t instructions = 0;               // executed elsewhere

  size_t refused() const { return functions - patched; }
  void add(const plan::Way& way);
};

// Without what differs from one function to the other: "at +0x1c", "0x4711".
std::string without_places(std::string_view reason);

// A kind of patch in a sentence, for people; the word itself where it is none.
std::string meaning(const std::string& kind);

}  // namespace compmond::inprocess
