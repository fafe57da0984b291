// SPDX-License-Identifier: Apache-2.0
#include "terminal/order.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "snapshot/doubt.h"
#include "text/clean.h"
#include "text/match.h"

namespace compmond::terminal {
namespace {

using snapshot::Component;

struct Heat {
  double hotness = 0;
  double net_real_ns = 0;
  uint64_t calls = 0;
  bool observed = false;

  void add(const Heat& other) {
    hotness = std::max(hotness, other.hotness);
    net_real_ns += other.net_real_ns;
    calls += other.calls;
    observed |= other.observed;
  }
  auto key() const { return std::tuple(hotness, net_real_ns, calls, observed); }
};

void place(const std::vector<Component>& all, const std::vector<std::vector<size_t>>& below,
           size_t top, std::vector<Placed>& out) {
  std::vector<std::pair<size_t, size_t>> open{{top, 0}};  // (component, depth)
  while (!open.empty()) {
    const auto [index, depth] = open.back();
    open.pop_back();
    out.push_back({&all[index], depth});
    for (auto child = below[index].rbegin(); child != below[index].rend(); ++child)
      open.emplace_back(*child, depth + 1);
  }
}

}  // namespace

std::vector<Placed> by_heat(const snapshot::Snapshot& snapshot) {
  const std::vector<Component>& all = snapshot.components;
  std::unordered_map<std::string_view, size_t> index;
  std::vector<std::vector<size_t>> below(all.size());
  std::vector<size_t> tops, parent(all.size(), all.size());
  std::vector<Heat> heat;
  for (size_t i = 0; i < all.size(); ++i) {
    const auto found = all[i].parent ? index.find(*all[i].parent) : index.end();
    if (found != index.end()) parent[i] = found->second;
    (found != index.end() ? below[found->second] : tops).push_back(i);
    index.emplace(all[i].name, i);
    const snapshot::Figures& f = all[i].figures;
    heat.push_back(
        {f.hotness, shown_real_ns(f), f.calls, all[i].status != snapshot::Status::kRefused});
  }
  for (size_t i = all.size(); i-- > 0;)
    if (parent[i] < all.size()) heat[parent[i]].add(heat[i]);
  const auto hotter = [&](size_t a, size_t b) {
    return heat[a].key() != heat[b].key() ? heat[a].key() > heat[b].key()
                                          : all[a].name < all[b].name;
  };
  for (std::vector<size_t>& siblings : below) std::sort(siblings.begin(), siblings.end(), hotter);
  std::sort(tops.begin(), tops.end(), hotter);
  std::vector<Placed> out;
  for (size_t top : tops) place(all, below, top, out);
  return out;
}

std::string refusal(const Component& component) {
  std::string reason;
  size_t others = 0;
  for (const snapshot::Operation& o : component.operations) {
    if (reason.empty())
      reason = text::clean(o.reason);
    else if (text::clean(o.reason) != reason)
      ++others;
  }
  if (reason.empty()) reason = "no operation of it could be attached";
  if (others > 0) reason += fmt::format(" (and {} more)", others);
  return reason;
}

Totals totals(const snapshot::Snapshot& snapshot) {
  Totals out;
  for (const Component& c : snapshot.components) {
    out.calls += c.figures.calls;
    out.open += c.figures.open;
    out.net_real_ns += c.figures.net_real_ns;
    out.at_least |= c.figures.at_least;
    out.uncertain |= c.figures.uncertain && probes_were_away(snapshot);
  }
  out.operations = snapshot.health.operations();
  return out;
}

}  // namespace compmond::terminal
