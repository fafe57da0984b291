// SPDX-License-Identifier: Apache-2.0
#include "snapshot/component.h"

#include <algorithm>

#include "text/match.h"

namespace compmond::snapshot {
namespace {

constexpr double kHardlyAway = 0.99;  // of the time: what was missed is less than intervals are

// Of all parts together, of which slices tell some.
struct CallsWithin {
  CallsEstimate sum;
  bool told = false, all = true;  // some by slices; all that were away
};

CallsWithin calls_within(const std::vector<Component>& all, const Component& group) {
  CallsWithin out;
  for (const Component& part : all) {
    if (!text::inside(part.name, group.name)) continue;
    const Figures& f = part.figures;
    const CallsEstimate* calls = estimated_calls(f);
    out.all &= calls || !f.at_least || f.observed_share.value_or(0) >= kHardlyAway;
    out.told |= calls != nullptr;
    const auto seen = double(f.calls);
    out.sum.value += calls ? calls->value : seen;
    out.sum.low += calls ? calls->low : seen;
    out.sum.high += calls ? calls->high : seen;
  }
  return out;
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
  const CallsWithin calls = calls_within(all, group);
  if (!calls.told) return out;
  if (!calls.all) {  // at least what is sure of each
    out.calls = std::max(out.calls, uint64_t(calls.sum.low));
    return out;
  }
  if (!out.estimated) out.estimated.emplace();
  out.estimated->calls = calls.sum;
  return out;
}

}  // namespace compmond::snapshot
