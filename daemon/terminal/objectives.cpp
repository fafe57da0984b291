// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/result.h"
#include "terminal/order.h"
#include "terminal/parts.h"
#include "text/clean.h"
#include "text/numbers.h"
#include "text/table.h"

namespace compmond::terminal {
namespace {

using snapshot::Component;
using snapshot::Operation;
using snapshot::Violation;
using text::Row;
using text::Table;

constexpr double kNamesPart = 0.5;
constexpr size_t kNewestShown = 10;  // the snapshot has more
constexpr size_t kKeptShown = 20;    // operations that kept to theirs; those that did not all stand

Row row_of(const Component& component, const Operation& operation) {
  const snapshot::Slo& slo = *operation.figures.slo;
  const auto& closed = operation.figures.closed;
  const uint64_t ended = closed.all();
  const bool missed = violations(operation.figures) > 0;
  const Ink ink = missed ? Ink::kRed : Ink::kPlain;
  return {{{text::clean(component.name) + "  " + text::clean(operation.name)},
           {text::duration(slo.objective_ns.value_or(0))},
           {text::count(slo.violations), ink},
           {ended > 0 ? text::percent(100 * double(slo.violations) / double(ended)) : "–", ink},
           {slo.violating_now > 0 ? text::count(slo.violating_now) : "", ink},
           {slo.unseen_ends > 0 ? text::count(slo.unseen_ends) : "", Ink::kAmber},
           {text::duration(operation.figures.max_ns)}},
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
  Table table({{"", false, 0, 0},
               {"objective", true, 9, 0},
               {"missed", true, 7, 0},
               {"of ended", true, 8, 2},
               {"running", true, 0, 1},
               {"end unseen", true, 0, 3},
               {"longest", true, 7, 4}},
              kNamesPart);
  size_t kept = 0;
  for (const Place& place : all)
    if (violations(place.operation->figures) > 0 || ++kept <= kKeptShown)
      table.add(row_of(*place.component, *place.operation));
  if (kept > kKeptShown)
    table.add({{{fmt::format("{} more that were kept", kept - kKeptShown), Ink::kQuiet}}, "", {}});
  return all.empty() ? Lines() : moved_in(table.lines(look_of(style), width - 2));
}

std::string end_text(const Violation& v) {
  return v.closed == snapshot::Ending::kReturned ? ""
         : v.closed == snapshot::Ending::kOpen   ? "still runs"
                                                 : v.closed.text();
}

Lines newest(const snapshot::Snapshot& snapshot, const Style& style, size_t width) {
  const snapshot::Objectives& slo = *snapshot.slo;
  if (slo.newest.empty()) return {};
  Table table({{"newest", false, 0, 0},
               {"raw", true, 7, 0},
               {"begun at", true, 9, 0},
               {"thread", true, 6, 2},
               {"trace", true, 5, 1},
               {"end", false, 11, 3}},
              kNamesPart);
  const size_t shown = std::min(slo.newest.size(), kNewestShown);
  for (size_t i = 0; i < shown; ++i) {
    const Violation& v = slo.newest[i];
    const bool unseen =
        v.closed == snapshot::Ending::kAbandoned || v.closed == snapshot::Ending::kLossy;
    const double begun_ns = double(v.start_ns) - double(snapshot.start_ns);
    table.add({{{text::clean(v.component) + "  " + text::clean(v.operation)},
                {(unseen ? "≤" : "") + text::duration(v.raw_ns), unseen ? Ink::kAmber : Ink::kRed},
                {text::moment(begun_ns, 1e6)},
                {fmt::format("{}", v.tid)},
                {fmt::format("{}", v.trace_id)},
                {end_text(v), unseen ? Ink::kAmber : Ink::kQuiet}},
               "",
               Ink::kPlain});
  }
  Lines out = moved_in(table.lines(look_of(style), width - 2));
  if (const uint64_t more = slo.newest.size() - shown + slo.left_out)
    out.push_back(paint(style, Ink::kQuiet, fmt::format("  {} more", text::count(more))));
  return out;
}

}  // namespace

Lines objectives(const snapshot::Snapshot& snapshot, const Style& style, size_t width) {
  if (!snapshot.slo) return {};
  Lines out = by_operation(snapshot, style, width);
  for (std::string& line : newest(snapshot, style, width)) out.push_back(std::move(line));
  for (const std::string& name : snapshot.slo->unjudged)
    for (std::string& line :
         wrapped(style,
                 {"not held to its objective, having no times: " + text::clean(name), Ink::kAmber},
                 2, width))
      out.push_back(std::move(line));
  return out;
}

}  // namespace compmond::terminal
