// SPDX-License-Identifier: Apache-2.0
#include "counts/slow_down.h"

#include <algorithm>

namespace compmond::counts {

namespace {
constexpr double kMattersFrom = 0.1;   // share of the CPU time
constexpr double kMostSlowDown = 100;  // beyond, the cost of a probe is not known well enough
}  // namespace

double slow_down(std::span<const ThreadLoad> threads) {
  double all_ns = 0, worst = 1;
  for (const ThreadLoad& thread : threads) all_ns += thread.cpu_ns;
  for (const ThreadLoad& thread : threads) {
    if (thread.cpu_ns <= 0 || thread.cpu_ns < kMattersFrom * all_ns) continue;
    const double useful_ns =
        std::max(thread.cpu_ns - thread.probes_ns, thread.cpu_ns / kMostSlowDown);
    worst = std::max(worst, thread.cpu_ns / useful_ns);
  }
  return worst;
}

}  // namespace compmond::counts
