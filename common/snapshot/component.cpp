// SPDX-License-Identifier: Apache-2.0
#include "snapshot/component.h"

#include <optional>

#include "text/match.h"

namespace compmond::snapshot {
namespace {

constexpr double kHardlyAway = 0.99;  // of the time: what was missed is less than intervals are

// Of all parts together, where slices tell of some, and of all that were away.
std::optional<CallsEstimate> calls_within(const std::vector<Component>& all,
                                          const Component& group) {
  CallsEstimate sum;
  bool told = false;
  for (const Component& part : all) {
    if (!text::inside(part.name, group.name)) continue;
    const Figures& f = part.figures;
    const CallsEstimate* calls = estimated_calls(f);
    if (!calls && f.at_least && f.observed_share.value_or(0) < kHardlyAway) return {};
    told |= calls != nullptr;
    const auto seen = double(f.calls);
    sum.value += calls ? calls->value : seen;
    sum.low += calls ? calls->low : seen;
    sum.high += calls ? calls->high : seen;
  }
  return told ? std::optional(sum) : std::nullopt;
}

}  // namespace

bool has_figures(const Operation& operation) {
  return operation.exit_mode != ExitMode::kRefused || operation.figures.at_least;
}

bool only_counted(const Component& component) {
  bool any = false;
  for (const Operation& o : component.operations) {
    if (o.exit_mode != ExitMode::kEntryOnly && o.exit_mode != ExitMode::kRefused) return false;
    any |= o.exit_mode == ExitMode::kEntryOnly;
  }
  return any;
}

Figures figures_within(const std::vector<Component>& all, const Component& group) {
  Figures out;
  out.calls = group.subtree.calls;
  out.real_ns = group.subtree.real_ns;
  out.net_real_ns = group.subtree.net_real_ns;
  out.seen = group.subtree.seen;
  out.estimated = group.subtree.estimated;
  for (const Component& part : all) {
    if (!text::inside(part.name, group.name)) continue;
    out.open += part.figures.open;
    out.closed += part.figures.closed;
    out.unsure_ns += part.figures.unsure_ns;
    out.waiting_ns += part.figures.waiting_ns;
    out.at_least |= part.figures.at_least;
    out.uncertain |= part.figures.uncertain && !only_counted(part);
  }
  if (const auto calls = calls_within(all, group)) {
    if (!out.estimated) out.estimated.emplace();
    out.estimated->calls = calls;
  }
  return out;
}

}  // namespace compmond::snapshot
