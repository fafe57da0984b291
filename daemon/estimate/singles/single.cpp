// SPDX-License-Identifier: Apache-2.0
#include "singles/single.h"

#include <algorithm>
#include <iterator>

namespace compmond::singles {

// Each of n is kept with the same probability: the n-th with kPerSlice / n, in place of any.
Single* Choice::see(uint32_t operation) {
  if (operation >= kept_.size()) kept_.resize(operation + 1);
  Kept& of = kept_[operation];
  const uint64_t before = of.seen++;
  if (before < kPerSlice) return &of.singles.emplace_back();
  const uint64_t place = std::uniform_int_distribution<uint64_t>(0, before)(random_);
  if (place >= kPerSlice) return nullptr;
  return &(of.singles[size_t(place)] = Single{});
}

std::vector<Single> Choice::end() {
  std::vector<Single> out;
  const auto length = double(slice_.length());
  for (Kept& of : kept_) {
    for (Single& single : of.singles) {
      const double left = std::max(1.0, length - double(single.duration_ns));
      single.weight = double(of.seen) / double(of.singles.size()) * length / left;
    }
    std::ranges::move(of.singles, std::back_inserter(out));
  }
  std::ranges::sort(out, {}, &Single::start_ns);
  return out;
}

}  // namespace compmond::singles
