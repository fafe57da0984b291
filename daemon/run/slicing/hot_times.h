// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace compmond::run {

// Until when operations were too hot for slices that are called far less often since: what slices
// tell by now says nothing of that time. Times in ns. Pure.
class HotTimes {
 public:
  explicit HotTimes(size_t operations) : of_(operations) {}

  // Of one that is too hot just now; `rate`: of its calls, in whatever unit.
  void hot(size_t operation, double rate, uint64_t now_ns) {
    of_[operation].rate = std::max(of_[operation].rate, rate);
    of_[operation].until_ns = now_ns;
  }
  // 0: it never was, or is called nearly as often at this rate, so that it was at the edge. None:
  // its rate is not known.
  uint64_t until_ns(size_t operation, std::optional<double> rate) const {
    const Of& of = of_[operation];
    return rate && of.rate <= kFarMore * *rate ? 0 : of.until_ns;
  }

 private:
  static constexpr double kFarMore = 3;
  struct Of {
    double rate = 0;
    uint64_t until_ns = 0;
  };
  std::vector<Of> of_;
};

}  // namespace compmond::run
