// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/window.h"
#include "counts/slice.h"

namespace compmond::counts {

inline bool within(const Slice& slice, Window window) {
  return slice.start_ns >= window.start_ns && slice.end_ns <= window.end_ns;
}

// The slices of a run, in the order of time: the newest 1,024 all, of those n slices ago one in
// n / 256. So each window that ends now has all of its slices or some 256 that are spread evenly,
// and a run that is twice as long 180 more. One thread.
class KeptSlices {
 public:
  struct Kept {
    Slice slice;
    uint64_t number = 0;  // of all that were added
  };
  void add(Slice slice) {
    slices_.push_back({std::move(slice), added_++});
    if (added_ % kBatch == 0) std::erase_if(slices_, [&](const Kept& kept) { return goes(kept); });
  }
  uint64_t added() const { return added_; }
  const std::vector<Kept>& all() const { return slices_; }  // oldest first

  // Of those that lie wholly in these times, at most so many, everywhere as dense as where they are
  // oldest; oldest first. Borrowed until the next is added.
  std::vector<const Slice*> spread_over(std::span<const Window> times, size_t most) const {
    std::vector<const Kept*> chosen;
    for (const Kept& kept : slices_)
      if (std::ranges::any_of(times, [&](Window time) { return within(kept.slice, time); }))
        chosen.push_back(&kept);
    if (chosen.empty()) return {};
    const double share = share_kept(*chosen.front());
    std::erase_if(chosen, [&](const Kept* kept) { return rank(*kept) >= share; });
    if (chosen.size() > most) {
      std::ranges::nth_element(chosen, chosen.begin() + ptrdiff_t(most), {},
                               [](const Kept* kept) { return rank(*kept); });
      chosen.resize(most);
      std::ranges::sort(chosen, {}, &Kept::number);
    }
    std::vector<const Slice*> out;
    for (const Kept* kept : chosen) out.push_back(&kept->slice);
    return out;
  }

 private:
  static constexpr uint64_t kNewest = 1024, kOlder = 256;
  static constexpr uint64_t kBatch = 128;  // after so many more the older ones are thinned out

  // In [0, 1). Of numbers in a row those below any x are spread evenly, and out of step with slices
  // of two kinds that take turns (Kronecker's sequence of the golden ratio).
  static double rank(const Kept& kept) {
    return double(kept.number * 0x9e3779b97f4a7c15u >> 11) / 0x1p53;
  }
  double share_kept(const Kept& kept) const {
    const uint64_t ago = added_ - kept.number;
    return ago <= kNewest ? 1 : double(kOlder) / double(ago);
  }
  bool goes(const Kept& kept) const { return rank(kept) >= share_kept(kept); }

  std::vector<Kept> slices_;
  uint64_t added_ = 0;
};

}  // namespace compmond::counts
