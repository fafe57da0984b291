// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace compmond::history {

// Log-linear buckets: each power of two divided into 2^parts equal ones; below 2^parts each value
// has its own. Those with fewer parts are made up of whole ones with more.
constexpr size_t bucket_of(uint64_t value, unsigned parts) {
  if (value >> parts == 0) return size_t(value);
  const unsigned shift = unsigned(std::bit_width(value)) - 1 - parts;
  return (size_t(shift) << parts) + size_t(value >> shift);
}

// The smallest value of a bucket; UINT64_MAX where that is beyond 64 bits.
constexpr uint64_t start_of(size_t bucket, unsigned parts) {
  const size_t shift = bucket >> parts;
  if (shift == 0) return bucket;
  if (shift - 1 + parts >= 64) return UINT64_MAX;
  const size_t part = bucket & ((size_t(1) << parts) - 1);
  return uint64_t(part | size_t(1) << parts) << (shift - 1);
}

// Counts durations in log-linear buckets: 64 per power of two, so a quantile is within 1/64 of the
// true value. Only buckets near values that were seen are kept, 32 at a time: what a few values
// take does not depend on how far apart they are. Value type.
class Histogram {
 public:
  static constexpr unsigned kParts = 6;  // log2 of the buckets per power of two
  static constexpr size_t kBuckets = (64 - kParts + 1) << kParts;

  static size_t bucket_of(uint64_t value) { return history::bucket_of(value, kParts); }

  void add(uint64_t ns) { add_bucket(bucket_of(ns), 1); }
  void add_bucket(size_t bucket, uint64_t count) {
    uint8_t& place = places_[bucket / kPage];
    if (place == 0) place = new_page();
    pages_[place - 1u][bucket % kPage] += count;
    count_ += count;
  }
  void merge(const Histogram& other);
  uint64_t count() const { return count_; }
  // The midpoint of the first bucket up to whose end at least q * count values lie, q in (0, 1]; 0
  // when empty.
  uint64_t quantile(double q) const;
  // (upper bound exclusive, count) of every non-empty bucket, ascending. A bound beyond 64 bits is
  // UINT64_MAX.
  std::vector<std::pair<uint64_t, uint64_t>> buckets() const;
  size_t memory_bytes() const { return pages_.capacity() * sizeof(Page); }

 private:
  static constexpr size_t kPage = 32;  // buckets: half of a power of two
  static constexpr size_t kPages = (kBuckets + kPage - 1) / kPage;
  static_assert(kPages < UINT8_MAX);
  using Page = std::array<uint64_t, kPage>;
  uint8_t new_page();
  // Calls visit(bucket, count) for those that are not empty, in ascending order, until it gives
  // false.
  template <class Visit>
  void each(Visit&& visit) const;

  std::array<uint8_t, kPages> places_{};  // in pages_, from 1; 0: all are empty
  std::vector<Page> pages_;               // in the order in which they were needed
  uint64_t count_ = 0;
};

}  // namespace compmond::history
