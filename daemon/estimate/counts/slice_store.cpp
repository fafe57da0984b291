// SPDX-License-Identifier: Apache-2.0
#include "counts/slice_store.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <utility>

#include "counts/student.h"

namespace compmond::counts {

namespace {

uint64_t sum_of(const Cells& cells) {
  uint64_t out = 0;
  for (const auto& [cell, count] : cells) out += count;
  return out;
}

// The pairs that were seen most in these slices, at most so many.
std::vector<Pair> most_seen(std::span<const Slice> slices, size_t most) {
  std::map<Pair, uint64_t> calls;
  for (const Slice& slice : slices)
    for (const auto& [edge, cells] : slice.edges) calls[edge] += sum_of(cells);
  std::vector<std::pair<uint64_t, Pair>> order;
  for (const auto& [edge, count] : calls) order.emplace_back(count, edge);
  std::ranges::sort(order, std::greater<>());
  std::vector<Pair> out;
  for (size_t i = 0; i < std::min(most, order.size()); ++i) out.push_back(order[i].second);
  return out;
}

using Callers = std::map<Item, std::set<Item>>;  // by callee

bool saw_all_callers(const Slice& slice, const Callers& callers, Item of) {
  const auto found = callers.find(of);
  return slice.saw(of) &&
         (found == callers.end() ||
          std::ranges::all_of(found->second, [&](Item one) { return slice.saw(one); }));
}

// With those that slices add: a slice says what calls directly where it saw all that is known to.
// First those that saw most, for where nothing is known a caller of a caller is taken for one.
Callers all_callers(std::span<const Slice> slices, std::span<const Pair> known) {
  Callers out;
  for (const Pair& pair : known) out[pair.second].insert(pair.first);
  std::vector<const Slice*> order;
  for (const Slice& slice : slices) order.push_back(&slice);
  std::ranges::stable_sort(order, std::greater<>(), [](const Slice* slice) {
    return std::ranges::count(slice->seen.empty() ? slice->attached : slice->seen, true);
  });
  for (bool more = true; std::exchange(more, false);)
    for (const Slice* slice : order)
      for (const auto& [edge, cells] : slice->edges)
        if (saw_all_callers(*slice, out, edge.second))
          more |= out[edge.second].insert(edge.first).second;
  return out;
}

// Full half seconds, without the last one, of which not all inputs may be told yet: the same ones
// for some time.
std::vector<Window> rounded(std::span<const Window> times) {
  constexpr uint64_t kStep = 500'000'000, kLong = 4 * kStep;
  std::vector<Window> out;
  for (Window time : times) {
    if (time.length() >= kLong) {
      const uint64_t before_ns = out.empty() ? 0 : out.back().end_ns;
      time = {std::max(before_ns, time.start_ns / kStep * kStep),
              (time.end_ns / kStep - 1) * kStep};
    }
    out.push_back(time);
  }
  return out;
}

// Makes these edges items of the slice, after its operations.
void add_items(Slice& slice, size_t items, std::span<const Pair> edges, const Callers& callers) {
  slice.attached.resize(items);
  for (size_t i = 0; i < edges.size(); ++i) {
    slice.attached.push_back(saw_all_callers(slice, callers, edges[i].second));
    const auto found = slice.edges.find(edges[i]);
    if (slice.attached.back() && found != slice.edges.end())
      slice.calls[Item(items + i)] = found->second;
  }
}

}  // namespace

void SliceStore::add(Slice slice) {
  for (const auto& [edge, cells] : slice.edges) {
    if (!slice.has(edge.second)) continue;
    const auto all = slice.calls.find(edge.second);
    callers_[edge].first += sum_of(cells);
    callers_[edge].second += all == slice.calls.end() ? 0 : sum_of(all->second);
  }
  slices_.add(std::move(slice));
}

// Of a time in which nobody counted inputs, as a part of the other: it had as many as that as a
// rule, or none, or twice as many.
void SliceStore::add_uncounted(Count& count, double part) {
  if (part > kUncounted) {
    const bool few = count.slices < kEnoughSlices;
    count = {few ? NotTold::kFewSlices : NotTold::kUncounted, 0, 0, count.seen, count.slices};
    return;
  }
  const double more = std::max(0.0, part) * count.value;
  count.value += more;
  count.variance += std::pow(more / student(1e9), 2);
}

std::vector<Rate> SliceStore::rates(const Times& times, std::span<const Slice> slices,
                                    size_t items) const {
  std::vector<Caller> callers;
  for (const auto& [pair, calls] : callers_)
    callers.push_back({pair.first, pair.second,
                       calls.second > 0 ? double(calls.first) / double(calls.second) : 0});
  return counts::rates(slices, inputs_.of(times).inputs, items, callers);
}

// `callers`: of edges, what is known to call what.
const KnownRates::Told& SliceStore::known(const Times& times, size_t items, bool edges,
                                          std::span<const Pair> callers) const {
  KnownRates::Of of{{},    slices_.added(), inputs_.thinned_out(),
                    items, edges,           {callers.begin(), callers.end()}};
  for (const Window& time : times) of.times.emplace_back(time.start_ns, time.end_ns);
  return known_.of(std::move(of), [&] {
    std::vector<Slice> slices;
    for (const Slice* slice : looked_at(times)) slices.push_back(*slice);
    if (!edges) return KnownRates::Told{{}, rates(times, slices, items)};
    KnownRates::Told out{most_seen(slices, kEdges), {}};
    const Callers all = all_callers(slices, callers);
    for (Slice& slice : slices) add_items(slice, items, out.edges, all);
    out.rates = rates(times, slices, items + out.edges.size());
    return out;
  });
}

std::vector<Count> SliceStore::counted(std::span<const Window> times,
                                       std::span<const Rate> rates) const {
  const InputTimes::Told inputs = inputs_.of(times);
  double asked_ns = 0;
  for (const Window& time : times) asked_ns += double(time.length());
  const double uncounted = inputs.known_ns > 0 ? asked_ns / inputs.known_ns - 1
                                               : std::numeric_limits<double>::infinity();
  std::vector<Count> out;
  for (const Rate& rate : rates) {
    out.push_back(rate.in(inputs.inputs));
    // Where nobody counted, that there were no inputs means nothing.
    if (out.back().told() || out.back().why == NotTold::kNoInputs)
      add_uncounted(out.back(), uncounted);
  }
  return out;
}

std::vector<Count> SliceStore::count(std::span<const Window> times, size_t items) const {
  return counted(times, known(rounded(times), items, false, {}).rates);
}

std::vector<SliceStore::EdgeCount> SliceStore::count_edges(std::span<const Window> times,
                                                           size_t items,
                                                           std::span<const Pair> callers) const {
  const KnownRates::Told& told = known(rounded(times), items, true, callers);
  const std::vector<Count> counts = counted(times, told.rates);
  std::vector<EdgeCount> out;
  for (size_t i = 0; i < told.edges.size(); ++i) out.push_back({told.edges[i], counts[items + i]});
  return out;
}

std::vector<const Slice*> SliceStore::newest(Window window, size_t most) const {
  std::vector<const Slice*> out;
  for (auto kept = slices_.all().rbegin(); kept != slices_.all().rend() && out.size() < most;
       ++kept)
    if (counts::within(kept->slice, window)) out.push_back(&kept->slice);
  std::ranges::reverse(out);
  return out;
}

SliceStore::Summary SliceStore::within(Window window) const {
  Summary out;
  double slow_down = 0;
  uint64_t next = 0;
  for (const auto& [slice, number] : slices_.all()) {
    const uint64_t of = number + 1 - next;  // with those before it that are not kept
    next = number + 1;
    if (!counts::within(slice, window)) continue;
    out.slices += of;
    out.total_ns += of * (slice.end_ns - slice.start_ns);
    slow_down += double(of) * slice.slow_down;
  }
  if (out.slices > 0) out.slow_down = slow_down / double(out.slices);
  const InputTimes::Told inputs = inputs_.of(std::vector<Window>{window});
  if (inputs.known_ns > 0) out.inputs_share = inputs.counted_ns / inputs.known_ns;
  return out;
}

}  // namespace compmond::counts
