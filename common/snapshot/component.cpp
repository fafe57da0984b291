// SPDX-License-Identifier: Apache-2.0
#include "snapshot/component.h"

#include "text/match.h"

namespace compmond::snapshot {

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
  return out;
}

}  // namespace compmond::snapshot
