// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "figures/figures.h"
#include "history/store.h"
#include "trace/execution.h"

namespace compmond::figures {

// A window that ends at the checkpoint's now or later has no end: drained events may be newer.
inline Window without_end(Window window, const history::Checkpoint& checkpoint) {
  if (window.end_ns >= checkpoint.as_of_ns) window.end_ns = UINT64_MAX;
  return window;
}

// Whether a moment belongs to a window as without_end() gives it.
inline bool inside(uint64_t ns, Window window) {
  return ns >= window.start_ns && (ns < window.end_ns || window.end_ns == UINT64_MAX);
}

inline bool overlaps(const trace::Execution& e, Window window) {
  return inside(e.start_ns, window) || (e.start_ns < window.start_ns && e.end_ns > window.start_ns);
}

}  // namespace compmond::figures
