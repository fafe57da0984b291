// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace compmond::counts {

// A thread in a slice.
struct ThreadLoad {
  double cpu_ns = 0;     // probes included
  double probes_ns = 0;  // of it
};

// How much slower the thread is that a slice slows most: CPU time / (CPU time - cost of probes).
// Threads with less than a tenth of all CPU time do not count. 1: none ran. At most 100.
double slow_down(std::span<const ThreadLoad> threads);

}  // namespace compmond::counts
