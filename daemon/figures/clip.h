// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "figures/figures.h"
#include "trace/execution.h"

namespace compmond::figures {

// The part of [start, end) that lies in the window.
inline uint64_t clipped(uint64_t start_ns, uint64_t end_ns, Window window) {
  return common({start_ns, end_ns}, window).length();
}

inline uint64_t since(uint64_t from_ns, uint64_t to_ns) {
  return to_ns > from_ns ? to_ns - from_ns : 0;
}

// The real time of an open execution as of `now_ns`.
inline uint64_t real_so_far(const trace::OpenExecution& open, uint64_t now_ns) {
  return open.own_ns + (open.on_top ? since(open.on_top_since_ns, now_ns) : 0);
}

}  // namespace compmond::figures
