// SPDX-License-Identifier: Apache-2.0
#include "counts/slice_store.h"

#include <algorithm>
#include <cmath>

namespace compmond::counts {

namespace {

template <class T>
void keep_every_second(std::vector<T>& of) {
  size_t kept = 0;
  for (size_t i = 0; i < of.size(); i += 2) of[kept++] = std::move(of[i]);
  of.resize(kept);
}

}  // namespace

void SliceStore::add_inputs(uint64_t time_ns, const RunInputs& so_far) {
  const size_t n = points_.size();
  if (n >= 2 && points_[n - 1].time_ns - points_[n - 2].time_ns < least_gap_ns_) points_.pop_back();
  points_.push_back({time_ns, so_far.descriptor, so_far.size});
  if (points_.size() < kPoints) return;
  const Point newest = points_.back();
  keep_every_second(points_);
  if (points_.back().time_ns != newest.time_ns) points_.push_back(newest);
  least_gap_ns_ *= 2;
}

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
  keep_every_second(slices_);
  stride_ *= 2;
}

double SliceStore::part_until(uint64_t time_ns, const Point& a, const Point& b) const {
  return double(time_ns - a.time_ns) / double(b.time_ns - a.time_ns);
}

// Between two points inputs came as they did on average: how wrong that is, the variance tells.
void SliceStore::add_until(uint64_t time_ns, double sign, RunInputs& out) const {
  const auto b = std::ranges::lower_bound(points_, time_ns, {}, &Point::time_ns);
  const auto a = b == points_.begin() || b->time_ns == time_ns ? b : b - 1;
  const double part = a == b ? 0 : part_until(time_ns, *a, *b);
  for (size_t h = 0; h < kStrata; ++h) {
    const double descriptors = b->descriptor[h] - a->descriptor[h], sizes = b->size[h] - a->size[h];
    out.descriptor[h] += sign * (a->descriptor[h] + part * descriptors);
    out.size[h] += sign * (a->size[h] + part * sizes);
    out.descriptor_variance[h] += std::pow(part * (1 - part) * descriptors, 2);
    out.size_variance[h] += std::pow(part * (1 - part) * sizes, 2);
  }
}

// Within the times of the first and the last point.
RunInputs SliceStore::inputs(Window window) const {
  RunInputs out;
  add_until(window.end_ns, 1, out);
  add_until(window.start_ns, -1, out);
  return out;
}

std::vector<Count> SliceStore::count(std::span<const Window> times, size_t items) const {
  std::vector<Count> none(items);
  if (points_.size() < 2) return none;
  const Window counted{points_.front().time_ns, points_.back().time_ns};
  RunInputs all;
  std::vector<const Slice*> within;
  uint64_t covered = 0, asked = 0;
  for (const Window& time : times) {
    const Window part = common(time, counted);
    asked += time.length();
    covered += part.length();
    if (part.length() == 0) continue;
    const RunInputs inputs = this->inputs(part);
    for (size_t h = 0; h < kStrata; ++h) {
      all.descriptor[h] += inputs.descriptor[h];
      all.size[h] += inputs.size[h];
      all.descriptor_variance[h] += inputs.descriptor_variance[h];
      all.size_variance[h] += inputs.size_variance[h];
    }
    for (const Slice& slice : slices_)
      if (slice.start_ns >= part.start_ns && slice.end_ns <= part.end_ns) within.push_back(&slice);
  }
  const size_t step = within.size() / kLookedAt + 1;
  std::vector<Slice> looked_at;
  for (size_t i = 0; i < within.size(); i += step) looked_at.push_back(*within[i]);
  std::vector<Caller> callers;
  for (const auto& [pair, calls] : callers_)
    callers.push_back({pair.first, pair.second,
                       calls.second > 0 ? double(calls.first) / double(calls.second) : 0});
  std::vector<Count> out = counts::count(looked_at, all, items, callers);
  if (double(asked - covered) <= kUncounted * double(asked)) return out;
  for (Count& one : out)
    if (one.told()) one = {NotTold::kUncounted, 0, 0, one.seen, one.slices};
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
  return out;
}

}  // namespace compmond::counts
