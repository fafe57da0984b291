// SPDX-License-Identifier: Apache-2.0
#include "pairs/known_pairs.h"

#include <algorithm>

namespace compmond::present {

using counts::Item;
using counts::Pair;
using counts::Slice;

KnownPairs::KnownPairs(const counts::SliceStore& store, std::span<const Window> times,
                       std::span<const Pair> by_samples) {
  for (const Pair& pair : by_samples) {
    callers_[pair.second].insert(pair.first);
    pairs_[pair];
  }
  const std::vector<const Slice*> slices = store.looked_at(times);
  for (const Slice* slice : slices) find_pairs(*slice);
  for (const Slice* slice : slices) add(*slice);
}

KnownPairs::Sights KnownPairs::of(Pair pair) const {
  const auto found = pairs_.find(pair);
  return found == pairs_.end() ? Sights() : found->second;
}

const std::set<Item>& KnownPairs::callers(Item of) const {
  static const std::set<Item> kNone;
  const auto found = callers_.find(of);
  return found == callers_.end() ? kNone : found->second;
}

KnownPairs::Had KnownPairs::had(Item operation) const {
  return operation < had_.size() ? had_[operation] : Had();
}

bool KnownPairs::saw_callers(const Slice& slice, Item of) const {
  return std::ranges::all_of(callers(of), [&](Item caller) { return slice.saw(caller); });
}

void KnownPairs::find_pairs(const Slice& slice) {
  for (const auto& [pair, cells] : slice.edges)
    if (saw_callers(slice, pair.second)) pairs_[pair];
}

void KnownPairs::add(const Slice& slice) {
  const size_t operations = std::max(slice.attached.size(), slice.seen.size());
  if (operations > had_.size()) had_.resize(operations);
  std::vector<bool> all(operations);  // callers of each that was seen
  for (Item i = 0; i < operations; ++i) {
    const bool saw = slice.saw(i);
    had_[i].slices += saw || slice.has(i);
    had_[i].seen += saw;
    had_[i].begun |= saw && slice.calls.contains(i);
    all[i] = saw && saw_callers(slice, i);
  }
  const auto add_to = [&](Sight& sight, uint64_t calls) {
    ++sight.slices;
    sight.ns += slice.end_ns - slice.start_ns;
    sight.calls += calls;
  };
  auto edge = slice.edges.begin();  // both are in one order
  for (auto& [pair, sights] : pairs_) {
    while (edge != slice.edges.end() && edge->first < pair) ++edge;
    if (!slice.saw(pair.first) || !slice.saw(pair.second)) continue;
    uint64_t calls = 0;
    if (edge != slice.edges.end() && edge->first == pair)
      for (const auto& [cell, count] : edge->second) calls += count;
    for (const Item one : {pair.first, pair.second}) had_[one].begun |= calls > 0;
    add_to(sights.both, calls);
    if (all[pair.second]) add_to(sights.all, calls);
  }
}

}  // namespace compmond::present
