// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace compmond::history {

// Records that were lost at some time in [start_ns, end_ns).
struct Loss {
  uint64_t start_ns = 0, end_ns = 0;
  uint64_t records = 0;
  bool operator==(const Loss&) const = default;
};

// When records were lost: sums per span of time, ordered. The spans are 1 ms wide and grow four
// times as wide whenever there are too many of them, so any number of losses fits.
class LossList {
 public:
  static constexpr size_t kMost = 1024;  // 24 KiB in each checkpoint

  void add(uint64_t time_ns, uint64_t records);
  const std::vector<Loss>& all() const { return list_; }

 private:
  void put(uint64_t time_ns, uint64_t records);

  uint64_t width_ns_ = 1'000'000;
  std::vector<Loss> list_;
};

}  // namespace compmond::history
