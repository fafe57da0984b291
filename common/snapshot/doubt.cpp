// SPDX-License-Identifier: Apache-2.0
#include "snapshot/doubt.h"

#include <fmt/format.h>

#include <algorithm>

#include "text/numbers.h"

namespace compmond::snapshot {
namespace {

std::string not_in_samples(const Snapshot& snapshot) {
  const uint64_t taken = snapshot.health.samples ? snapshot.health.samples->taken : 0;
  return fmt::format("not seen in {} samples", text::count(taken));
}

}  // namespace

std::string doubt_of_none(const Snapshot& snapshot, const Figures& f) {
  if (!f.seen) return not_in_samples(snapshot);
  if (f.observed_share) {
    if (*f.observed_share <= 0) return "not seen, its probes were away";
    return fmt::format("not seen while observed {}", text::percent(100 * *f.observed_share));
  }
  if (snapshot.health.lost > 0) return "not seen, events were lost";
  const bool gap = f.at_least || f.closed.lossy > 0;
  return gap ? "not seen, and some calls may have been missed" : "";
}

std::string doubt_of_none(const Snapshot& snapshot, const Component& component) {
  std::string of_figures = doubt_of_none(snapshot, component.figures);
  const bool all = component.status != Status::kPartial && component.status != Status::kRefused;
  return all || !of_figures.empty() ? of_figures : "not seen, as far as it is observed";
}

std::string doubt_of_none(const Snapshot& snapshot, const Edge& edge) {
  if (!edge.seen) return not_in_samples(snapshot);
  const auto share = [](const Component* c) {
    return c ? c->figures.observed_share.value_or(1) : 1.0;
  };
  const auto named = [&](const std::string& name) -> const Component* {
    const auto found = std::ranges::find(snapshot.components, name, &Component::name);
    return found == snapshot.components.end() ? nullptr : &*found;
  };
  const Component* from = edge.from ? named(*edge.from) : nullptr;
  const Component* to = named(edge.to);
  if (share(from) < share(to)) return doubt_of_none(snapshot, *from);
  const std::string of_callee = to ? doubt_of_none(snapshot, *to) : "";
  return of_callee.empty() && from ? doubt_of_none(snapshot, *from) : of_callee;
}

bool tells_calls(const Figures& f) {
  return f.seen && (estimated_calls(f) || !(f.at_least && f.calls == 0 && f.open == 0));
}

bool tells_nothing(const Figures& figures, TimeOf part) {
  return figures.estimated && !times_estimated(figures) && only_bound(*figures.estimated, part) &&
         ((*figures.estimated).*part)->high_ns >= double(figures.net_real_ns);
}

bool probes_were_away(const Snapshot& snapshot) {
  return std::ranges::any_of(
      snapshot.components, [](const Component& c) { return c.figures.observed_share.has_value(); });
}

std::string_view why_uncertain(const Snapshot& snapshot) {
  if (probes_were_away(snapshot)) return "probes were away for a part of the time";
  if (loses_much(snapshot.health.lost, snapshot.health.hits)) return "many records were lost";
  const auto& checked = snapshot.health.overhead_checked;
  if (checked && checked->doubt) return "samples see the probes cost something else";
  return snapshot.health.stack_switches > 0 && snapshot.health.orphan_exits > 0
             ? "fibers returned on other threads, or the probes' own cost is over a third of it"
             : "the probes' own cost is over a third of it";
}

bool misses_calls(const Snapshot& snapshot, const Edge& edge) {
  return edge.seen && std::ranges::any_of(snapshot.components, [&](const Component& c) {
           return c.figures.at_least && (c.name == edge.to || c.name == edge.from);
         });
}

}  // namespace compmond::snapshot
