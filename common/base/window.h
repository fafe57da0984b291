// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

namespace compmond {

// A span of time, [start, end), in ns; without a word, all of it. (What a
// desktop calls a window is a screen in this code.)
struct Window {
  uint64_t start_ns = 0;
  uint64_t end_ns = UINT64_MAX;
  uint64_t length() const { return end_ns - start_ns; }
};

// What is in both; of length 0 where nothing is.
inline Window common(Window a, Window b) {
  const uint64_t start = std::max(a.start_ns, b.start_ns);
  return {start, std::max(start, std::min(a.end_ns, b.end_ns))};
}

}  // namespace compmond
