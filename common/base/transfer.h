// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/words.h"

namespace compmond {

// How control leaves functions without a return. Stored as these numbers.
enum class Transfer : uint8_t {
  kThrow,   // an exception is about to leave frames
  kCatch,   // an exception, or a forced unwinding, has left all frames up to here
  kJump,    // a longjmp, or a change to another context, is about to leave frames
  kForce,   // a forced unwinding, by which threads end, is about to leave frames
  kResume,  // the unwinder goes on with what it is at: an exception, or a forced unwinding
};
constexpr uint8_t kTransfers = 5;
constexpr auto words(Transfer) {
  return word_table<Transfer>({{Transfer::kThrow, "throw"},
                               {Transfer::kCatch, "catch"},
                               {Transfer::kJump, "jump"},
                               {Transfer::kForce, "force"},
                               {Transfer::kResume, "resume"}});
}

}  // namespace compmond
