// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace compmond::history {

// Records that were lost at some time, or times, in [start_ns, end_ns).
struct Loss {
  uint64_t start_ns = 0, end_ns = 0;
  uint64_t records = 0;  // as far as they could be counted
  bool operator==(const Loss&) const = default;
};

// When records were lost: sums per span of time, ordered, none overlapping another. Bounds are
// rounded to 1 ms, four times as coarsely whenever there are too many spans, so any number of
// losses fits.
class LossList {
 public:
  static constexpr size_t kMost = 1024;  // 24 KiB in each checkpoint

  // `records` lost at some time in [from_ns, to_ns]; 0: it is not known how many.
  void add(uint64_t from_ns, uint64_t to_ns, uint64_t records);
  const std::vector<Loss>& all() const { return list_; }

 private:
  void put(Loss loss);

  uint64_t width_ns_ = 1'000'000;
  std::vector<Loss> list_;
};

}  // namespace compmond::history
