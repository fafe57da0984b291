// SPDX-License-Identifier: Apache-2.0
#include "history/histogram.h"

#include <algorithm>
#include <cmath>

namespace compmond::history {
namespace {

constexpr size_t kGrowBy =
    16;  // buckets of slack on growth, so that a spread of values does not move it each time

}  // namespace

void Histogram::grow_to(size_t bucket) {
  if (counts_.empty()) first_ = bucket;
  if (bucket < first_) {
    const size_t first = bucket - std::min(bucket, kGrowBy);
    counts_.insert(counts_.begin(), first_ - first, 0);
    first_ = first;
  }
  if (bucket - first_ >= counts_.size()) counts_.resize(bucket - first_ + 1 + kGrowBy);
}

void Histogram::merge(const Histogram& other) {
  if (other.count_ == 0) return;
  grow_to(other.first_);
  grow_to(other.first_ + other.counts_.size() - 1);
  for (size_t i = 0; i < other.counts_.size(); ++i)
    counts_[other.first_ + i - first_] += other.counts_[i];
  count_ += other.count_;
}

uint64_t Histogram::quantile(double q) const {
  if (count_ == 0) return 0;
  const uint64_t rank = std::clamp<uint64_t>(uint64_t(std::ceil(q * double(count_))), 1, count_);
  uint64_t seen = 0;
  for (size_t i = 0; i < counts_.size(); ++i) {
    seen += counts_[i];
    if (seen < rank) continue;
    const uint64_t low = start_of(first_ + i, kParts), end = start_of(first_ + i + 1, kParts);
    return low + (end - low - 1) / 2;
  }
  return 0;
}

std::vector<std::pair<uint64_t, uint64_t>> Histogram::buckets() const {
  std::vector<std::pair<uint64_t, uint64_t>> out;
  for (size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] > 0) out.emplace_back(start_of(first_ + i + 1, kParts), counts_[i]);
  }
  return out;
}

}  // namespace compmond::history
