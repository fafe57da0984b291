// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/numbers.h"
#include "base/result.h"
#include "base/text.h"
#include "terminal/grid.h"
#include "terminal/order.h"
#include "terminal/parts.h"

namespace compmond::terminal {
namespace {

using snapshot::Component;
using snapshot::Operation;
using snapshot::Violation;

constexpr double kNameShare = 0.5;
constexpr size_t kNewestShown = 10;  // the snapshot has more
constexpr size_t kKeptShown = 20;    // operations that kept to theirs; those that did not all stand

Row row_of(const Component& component, const Operation& operation) {
  const snapshot::Slo& slo = *operation.figures.slo;
  const auto& closed = operation.figures.closed;
  const uint64_t ended =
      closed.returned + closed.abandoned + closed.thread_exit + closed.exec + closed.lossy;
  const bool missed = violations(operation.figures) > 0;
  const Ink ink = missed ? Ink::kRed : Ink::kPlain;
  return {{{clean(component.name) + "  " + clean(operation.name)},
           {duration_text(slo.objective_ns.value_or(0))},
           {count_text(slo.violations), ink},
           {ended > 0 ? percent_text(100 * double(slo.violations) / double(ended)) : "–", ink},
           {slo.violating_now > 0 ? count_text(slo.violating_now) : "", ink},
           {slo.unseen_ends > 0 ? count_text(slo.unseen_ends) : "", Ink::kAmber},
           {duration_text(operation.figures.max_ns)}},
          "",
          Ink::kAmber};
}

// The worst first; of those that kept to theirs not all.
Lines by_operation(const snapshot::Snapshot& snapshot, const Style& style, size_t width) {
  struct Place {
    const Component* component;
    const Operation* operation;
  };
  std::vector<Place> all;
  for (const Component& c : snapshot.components)
    for (const Operation& o : c.operations)
      if (o.figures.slo) all.push_back({&c, &o});
  std::stable_sort(all.begin(), all.end(), [](const Place& a, const Place& b) {
    return violations(a.operation->figures) > violations(b.operation->figures);
  });
  Grid grid({{"", false, 0, 0},
             {"objective", true, 9, 0},
             {"missed", true, 7, 0},
             {"of ended", true, 8, 2},
             {"running", true, 0, 1},
             {"end unseen", true, 0, 3},
             {"longest", true, 7, 4}},
            kNameShare);
  size_t kept = 0;
  for (const Place& place : all)
    if (violations(place.operation->figures) > 0 || ++kept <= kKeptShown)
      grid.add(row_of(*place.component, *place.operation));
  if (kept > kKeptShown)
    grid.add({{{fmt::format("{} more that were kept", kept - kKeptShown), Ink::kQuiet}}, "", {}});
  return all.empty() ? Lines() : moved_in(grid.lines(style, width - 2));
}

std::string end_text(const Violation& v) {
  return v.closed == "returned" ? "" : v.closed == "open" ? "still runs" : clean(v.closed);
}

Lines newest(const snapshot::Snapshot& snapshot, const Style& style, size_t width) {
  const snapshot::Objectives& slo = *snapshot.slo;
  if (slo.newest.empty()) return {};
  Grid grid({{"newest", false, 0, 0},
             {"raw", true, 7, 0},
             {"begun at", true, 9, 0},
             {"thread", true, 6, 2},
             {"trace", true, 5, 1},
             {"end", false, 11, 3}},
            kNameShare);
  const size_t shown = std::min(slo.newest.size(), kNewestShown);
  for (size_t i = 0; i < shown; ++i) {
    const Violation& v = slo.newest[i];
    const bool unseen = v.closed == "abandoned" || v.closed == "lossy";
    const double begun_s = (double(v.start_ns) - double(snapshot.start_ns)) / 1e9;
    grid.add({{{clean(v.component) + "  " + clean(v.operation)},
               {(unseen ? "≤" : "") + duration_text(v.raw_ns), unseen ? Ink::kAmber : Ink::kRed},
               {fmt::format("{:.3f} s", begun_s)},
               {fmt::format("{}", v.tid)},
               {fmt::format("{}", v.trace_id)},
               {end_text(v), unseen ? Ink::kAmber : Ink::kQuiet}},
              "",
              Ink::kPlain});
  }
  Lines out = moved_in(grid.lines(style, width - 2));
  if (const uint64_t more = slo.newest.size() - shown + slo.left_out)
    out.push_back(paint(style, Ink::kQuiet, fmt::format("  {} more", count_text(more))));
  return out;
}

}  // namespace

Lines objectives(const snapshot::Snapshot& snapshot, const Style& style, size_t width) {
  if (!snapshot.slo) return {};
  Lines out = by_operation(snapshot, style, width);
  for (std::string& line : newest(snapshot, style, width)) out.push_back(std::move(line));
  for (const std::string& name : snapshot.slo->unjudged)
    for (std::string& line :
         wrapped(style, {"not held to its objective, having no times: " + clean(name), Ink::kAmber},
                 2, width))
      out.push_back(std::move(line));
  return out;
}

}  // namespace compmond::terminal
