// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace compmond::history {

// Counts durations in log-linear buckets: 64 per power of two, so a quantile is within 1/64 of the
// true value. Grows with the range of the values seen; an empty one costs nothing. Value type.
class Histogram {
 public:
  void add(uint64_t ns) {
    const size_t bucket = bucket_of(ns);
    if (bucket - first_ >= counts_.size()) grow_to(bucket);
    ++counts_[bucket - first_];
    ++count_;
  }
  void merge(const Histogram& other);
  uint64_t count() const { return count_; }
  // The midpoint of the first bucket up to whose end at least q * count values lie, q in (0, 1]; 0
  // when empty.
  uint64_t quantile(double q) const;
  // (upper bound exclusive, count) of every non-empty bucket, ascending. A bound beyond 64 bits is
  // UINT64_MAX.
  std::vector<std::pair<uint64_t, uint64_t>> buckets() const;
  size_t memory_bytes() const { return counts_.capacity() * sizeof(uint64_t); }

 private:
  static constexpr size_t kSteps = 64;  // buckets per power of two
  static constexpr int kStepBits = 6;

  // Values below 64 have a bucket each; above, the exponent and the six bits after the leading one.
  static size_t bucket_of(uint64_t value) {
    if (value < kSteps) return size_t(value);
    const int shift = std::bit_width(value) - 1 - kStepBits;
    return size_t(shift) * kSteps + size_t(value >> shift);
  }
  static uint64_t lower_bound(size_t bucket);
  static uint64_t width(size_t bucket);
  void grow_to(size_t bucket);

  size_t first_ = 0;  // bucket of counts_[0]
  std::vector<uint64_t> counts_;
  uint64_t count_ = 0;
};

}  // namespace compmond::history
