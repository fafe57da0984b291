// SPDX-License-Identifier: Apache-2.0
#include "counts/slice_store.h"

#include <algorithm>
#include <cmath>

#include "counts/student.h"

namespace compmond::counts {

void SliceStore::add(Slice slice, const Callers& calls) {
  std::map<Item, uint64_t> all;
  for (const auto& [item, cells] : slice.calls)
    for (const auto& [cell, count] : cells) all[item] += count;
  for (const auto& [pair, count] : calls) {
    callers_[pair].first += count;
    callers_[pair].second += all[pair.second];
  }
  if (number_++ % stride_ != 0) return;
  slices_.push_back(std::move(slice));
  if (slices_.size() < kSlices) return;
  size_t kept = 0;
  for (size_t i = 0; i < slices_.size(); i += 2) slices_[kept++] = std::move(slices_[i]);
  slices_.resize(kept);
  stride_ *= 2;
}

// Of a time in which nobody counted inputs, as a part of the other: it had as many as that as a
// rule, or none, or twice as many.
void SliceStore::add_uncounted(Count& count, double part) {
  if (part > kUncounted) {
    count = {NotTold::kUncounted, 0, 0, count.seen, count.slices};
    return;
  }
  const double more = std::max(0.0, part) * count.value;
  count.value += more;
  count.variance += std::pow(more / student(1e9), 2);
}

std::vector<Count> SliceStore::count(std::span<const Window> times, size_t items) const {
  const InputTimes::Told inputs = inputs_.of(times);
  if (inputs.known_ns <= 0) return std::vector<Count>(items);
  std::vector<const Slice*> within;
  double asked_ns = 0;
  for (const Window& time : times) {
    asked_ns += double(time.length());
    for (const Slice& slice : slices_)
      if (slice.start_ns >= time.start_ns && slice.end_ns <= time.end_ns) within.push_back(&slice);
  }
  const size_t step = within.size() / kLookedAt + 1;
  std::vector<Slice> looked_at;
  for (size_t i = 0; i < within.size(); i += step) looked_at.push_back(*within[i]);
  std::vector<Caller> callers;
  for (const auto& [pair, calls] : callers_)
    callers.push_back({pair.first, pair.second,
                       calls.second > 0 ? double(calls.first) / double(calls.second) : 0});
  std::vector<Count> out = counts::count(looked_at, inputs.inputs, items, callers);
  const double uncounted = asked_ns / inputs.known_ns - 1;
  for (Count& one : out)
    if (one.told()) add_uncounted(one, uncounted);
  return out;
}

std::vector<const Slice*> SliceStore::newest(Window window, size_t most) const {
  std::vector<const Slice*> out;
  for (auto slice = slices_.rbegin(); slice != slices_.rend() && out.size() < most; ++slice)
    if (slice->start_ns >= window.start_ns && slice->end_ns <= window.end_ns)
      out.push_back(&*slice);
  std::ranges::reverse(out);
  return out;
}

SliceStore::Summary SliceStore::within(Window window) const {
  Summary out;
  double slow_down = 0;
  for (const Slice& slice : slices_) {
    if (slice.start_ns < window.start_ns || slice.end_ns > window.end_ns) continue;
    out.slices += stride_;
    out.total_ns += stride_ * (slice.end_ns - slice.start_ns);
    slow_down += double(stride_) * slice.slow_down;
  }
  if (out.slices > 0) out.slow_down = slow_down / double(out.slices);
  const InputTimes::Told inputs = inputs_.of(std::vector<Window>{window});
  if (inputs.known_ns > 0) out.inputs_share = inputs.counted_ns / inputs.known_ns;
  return out;
}

}  // namespace compmond::counts
