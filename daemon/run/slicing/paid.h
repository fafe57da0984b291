// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

namespace compmond::run {

// What the last slice cost, which may be more than was planned: the next one waits until that is
// no more than slices may take of what the targets use. Times in ns. Pure.
class Paid {
 public:
  // A slice begins; the targets used that much CPU time so far.
  void begin(uint64_t now_ns, uint64_t cpu_ns) {
    const uint64_t wall_ns = now_ns - std::exchange(began_ns_, now_ns);
    const uint64_t used_ns = cpu_ns - std::exchange(cpu_ns_, cpu_ns);
    if (begun_) cores_ = double(used_ns) / double(std::max<uint64_t>(wall_ns, 1));
    begun_ = true;
  }
  // It is over, and took that much of it.
  void slice(double cost_ns) { cost_ns_ = cost_ns; }
  // At least, until the next one begins; `share`: what slices may take of the CPU time.
  uint64_t gap_ns(double share) const {
    return uint64_t(std::min(cost_ns_ / (share * std::max(cores_, kLeastCores)), kLongest));
  }

 private:
  static constexpr double kLeastCores = 0.2;  // the budget is never below a part of one core
  static constexpr double kLongest = 20e9;
  double cost_ns_ = 0, cores_ = 1;
  uint64_t began_ns_ = 0, cpu_ns_ = 0;
  bool begun_ = false;
};

}  // namespace compmond::run
