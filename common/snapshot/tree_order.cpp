// SPDX-License-Identifier: Apache-2.0
#include "snapshot/tree_order.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace compmond::snapshot {

std::vector<size_t> parents_of(const std::vector<Component>& components) {
  std::unordered_map<std::string_view, size_t> place;
  std::vector<size_t> out;
  for (size_t i = 0; i < components.size(); ++i) {
    const auto& parent = components[i].parent;
    const auto found = parent ? place.find(*parent) : place.end();
    out.push_back(found == place.end() ? kNoParent : found->second);
    place.emplace(components[i].name, i);
  }
  return out;
}

std::vector<Placed> tree_order(const std::vector<size_t>& parents, const std::vector<size_t>& shown,
                               const std::function<bool(size_t, size_t)>& before) {
  std::vector<char> is_shown(parents.size(), 0);
  for (const size_t i : shown) is_shown[i] = 1;
  std::vector<size_t> tops;
  std::vector<std::vector<size_t>> below(parents.size());
  for (const size_t i : shown) {
    size_t above = parents[i];
    while (above != kNoParent && !is_shown[above]) above = parents[above];
    (above == kNoParent ? tops : below[above]).push_back(i);
  }
  std::vector<Placed> out;
  std::vector<Placed> open;  // the next one last
  const auto put = [&](std::vector<size_t>& siblings, size_t depth) {
    std::stable_sort(siblings.begin(), siblings.end(), before);
    for (size_t i = siblings.size(); i-- > 0;) open.push_back({siblings[i], depth});
  };
  put(tops, 0);
  while (!open.empty()) {
    const Placed next = open.back();
    open.pop_back();
    out.push_back(next);
    put(below[next.component], next.depth + 1);
  }
  return out;
}

}  // namespace compmond::snapshot
