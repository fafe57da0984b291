// SPDX-License-Identifier: Apache-2.0
#include "history/histogram.h"

#include <algorithm>
#include <cmath>

namespace compmond::history {

uint8_t Histogram::new_page() {
  pages_.emplace_back();
  return uint8_t(pages_.size());
}

template <class Visit>
void Histogram::each(Visit&& visit) const {
  for (size_t i = 0; i < kPages; ++i) {
    if (places_[i] == 0) continue;
    const Page& page = pages_[places_[i] - 1u];
    for (size_t j = 0; j < kPage; ++j)
      if (page[j] > 0 && !visit(i * kPage + j, page[j])) return;
  }
}

void Histogram::merge(const Histogram& other) {
  other.each([this](size_t bucket, uint64_t count) {
    add_bucket(bucket, count);
    return true;
  });
}

uint64_t Histogram::quantile(double q) const {
  if (count_ == 0) return 0;
  const uint64_t rank = std::clamp<uint64_t>(uint64_t(std::ceil(q * double(count_))), 1, count_);
  uint64_t seen = 0, out = 0;
  each([&](size_t bucket, uint64_t count) {
    seen += count;
    if (seen < rank) return true;
    const uint64_t low = start_of(bucket, kParts), end = start_of(bucket + 1, kParts);
    out = low + (end - low - 1) / 2;
    return false;
  });
  return out;
}

std::vector<std::pair<uint64_t, uint64_t>> Histogram::buckets() const {
  std::vector<std::pair<uint64_t, uint64_t>> out;
  each([&](size_t bucket, uint64_t count) {
    out.emplace_back(start_of(bucket + 1, kParts), count);
    return true;
  });
  return out;
}

}  // namespace compmond::history
