// SPDX-License-Identifier: Apache-2.0
#include "singles/single_store.h"

#include <algorithm>
#include <random>
#include <utility>

namespace compmond::singles {

namespace {

constexpr uint64_t kNear = 4;        // so much shorter than a slice nearly all are seen
constexpr uint64_t kMostProbes = 3;  // times what probes took: else it is mostly that

bool among(const std::vector<uint32_t>& operations, uint32_t operation) {
  return std::ranges::find(operations, operation) != operations.end();
}

// Of singles by duration, that with so much of all weight not after it.
uint64_t quantile(const std::vector<Single>& sorted, double weight, double part) {
  double sum = 0;
  for (const Single& single : sorted)
    if ((sum += single.weight) >= part * weight) return single.duration_ns;
  return sorted.back().duration_ns;
}

}  // namespace

void SingleStore::add(Seen seen) {
  if (seen.singles.empty() && seen.edges.empty()) return;
  singles_ += seen.singles.size();
  slices_.push_back(std::move(seen));
  if (slices_.size() > kMostSlices) drop_oldest();
  if (singles_ > kMost) thin_out();
}

void SingleStore::drop_oldest() {
  singles_ -= slices_.front().singles.size();
  slices_.pop_front();
}

// Of those with many the half, of the rest the half of the slices: what is rare stays longer.
void SingleStore::thin_out() {
  std::mt19937_64 random(slices_.size());
  singles_ = 0;
  for (Seen& slice : slices_) {
    std::map<uint32_t, size_t> all, kept;
    for (const Single& single : slice.singles) ++all[single.operation];
    std::ranges::shuffle(slice.singles, random);
    std::erase_if(slice.singles, [&](const Single& single) {
      const size_t of = all[single.operation];
      return of > 1 && ++kept[single.operation] > of / 2;
    });
    for (Single& single : slice.singles)
      if (const size_t of = all[single.operation]; of > 1)
        single.weight *= double(of) / double(of / 2);
    std::ranges::sort(slice.singles, {}, &Single::start_ns);
    singles_ += slice.singles.size();
  }
  while (singles_ > kMost / 4 * 3) drop_oldest();  // one of each operation is left of most slices
}

std::ranges::subrange<SingleStore::Slices::const_iterator> SingleStore::within(
    Window window) const {
  const auto first = std::ranges::lower_bound(slices_, window.start_ns, {},
                                              [](const Seen& seen) { return seen.slice.start_ns; });
  const auto last = std::ranges::upper_bound(first, slices_.end(), window.end_ns, {},
                                             [](const Seen& seen) { return seen.slice.end_ns; });
  return {first, last};
}

std::optional<Times> SingleStore::times(Window window, const std::vector<uint32_t>& operations,
                                        bool outermost) const {
  std::vector<Single> all;
  Times out;
  double slow_down = 0;
  out.uncertain_from_ns = UINT64_MAX;
  for (const Seen& slice : within(window)) {
    for (const Single& single : slice.singles) {
      if (!among(operations, single.operation) || (outermost && !single.outermost)) continue;
      all.push_back(single);
      slow_down += slice.slow_down;
      out.uncertain_from_ns = std::min(out.uncertain_from_ns, slice.slice.length() / kNear);
    }
  }
  if (all.empty()) return std::nullopt;
  std::ranges::sort(all, {}, &Single::duration_ns);
  double weight = 0, sum = 0;
  for (const Single& single : all) {
    weight += single.weight;
    sum += single.weight * double(single.duration_ns);
    if (kMostProbes * single.probes_ns > single.duration_ns)
      out.uncertain_below_ns = std::max(out.uncertain_below_ns, single.duration_ns + 1);
  }
  out.seen = all.size();
  out.slow_down = slow_down / double(all.size());
  out.mean_ns = sum / weight;
  out.min_ns = all.front().duration_ns;
  out.max_ns = all.back().duration_ns;
  out.p50_ns = quantile(all, weight, 0.5);
  out.p90_ns = quantile(all, weight, 0.9);
  out.p99_ns = quantile(all, weight, 0.99);
  return out;
}

Edges SingleStore::edges(Window window, const std::vector<uint32_t>& operations) const {
  Edges out;
  for (const Seen& slice : within(window)) {
    for (const auto& [operation, edges] : slice.edges) {
      if (!among(operations, operation)) continue;
      out.cut += edges.cut;
      out.orphans += edges.orphans;
    }
  }
  return out;
}

}  // namespace compmond::singles
