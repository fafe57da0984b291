// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/words.h"

namespace compmond {

// How control leaves functions without a return. Stored as these numbers.
enum class Transfer : uint8_t {
  kThrow,  // an exception, or a forced unwinding, is about to leave frames
  kCatch,  // an exception has left all frames up to here
  kJump,   // a longjmp, or a change to another context, is about to leave frames
};
constexpr uint8_t kTransfers = 3;
constexpr auto words(Transfer) {
  return word_table<Transfer>(
      {{Transfer::kThrow, "throw"}, {Transfer::kCatch, "catch"}, {Transfer::kJump, "jump"}});
}

}  // namespace compmond
