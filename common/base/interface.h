// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/words.h"

namespace compmond {

// Of an operation: called from outside its component, or calls out of it.
enum class Interface : uint8_t { kIn, kOut };
constexpr auto words(Interface) {
  return word_table<Interface>({{Interface::kIn, "in"}, {Interface::kOut, "out"}});
}

}  // namespace compmond
