// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace compmond {

// A span of time, [start, end), in ns; without a word, all of it. (What a
// desktop calls a window is a screen in this code.)
struct Window {
  uint64_t start_ns = 0;
  uint64_t end_ns = UINT64_MAX;
  uint64_t length() const { return end_ns - start_ns; }
};

}  // namespace compmond
