// SPDX-License-Identifier: Apache-2.0
#include "terminal/order.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <tuple>

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

}  // namespace

std::vector<snapshot::Placed> by_heat(const snapshot::Snapshot& snapshot) {
  const std::vector<Component>& all = snapshot.components;
  const std::vector<size_t> parents = snapshot::parents_of(all);
  std::vector<Heat> heat;
  for (const Component& c : all)
    heat.push_back({c.figures.hotness, shown_real_ns(c.figures), c.figures.calls,
                    c.status != snapshot::Status::kRefused});
  for (size_t i = all.size(); i-- > 0;)
    if (parents[i] != snapshot::kNoParent) heat[parents[i]].add(heat[i]);
  std::vector<size_t> shown(all.size());
  std::iota(shown.begin(), shown.end(), size_t(0));
  return snapshot::tree_order(parents, shown, [&](size_t a, size_t b) {
    return heat[a].key() != heat[b].key() ? heat[a].key() > heat[b].key()
                                          : all[a].name < all[b].name;
  });
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
    out.net_real_ns +=
        uint64_t(c.figures.net_real_ns - std::min(c.figures.net_real_ns, c.figures.waiting_ns));
    out.at_least |= c.figures.at_least;
    out.uncertain |= c.figures.uncertain && probes_were_away(snapshot);
  }
  out.operations = snapshot.health.operations();
  return out;
}

}  // namespace compmond::terminal
