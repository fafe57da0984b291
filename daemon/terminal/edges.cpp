// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <utility>

#include "base/result.h"
#include "snapshot/doubt.h"
#include "snapshot/estimate_text.h"
#include "terminal/estimate_cells.h"
#include "terminal/parts.h"
#include "text/clean.h"
#include "text/numbers.h"
#include "text/table.h"

namespace compmond::terminal {
namespace {

using snapshot::Edge;
using snapshot::Estimated;
using text::Table;

constexpr size_t kEdgesShown = 25;
constexpr size_t kUnseenShown = 12;  // connections of the spec that nobody took

std::string ends(const Edge& e) {
  const std::string from = e.from ? text::clean(*e.from) : e.unknown ? "(cut off)" : "(outside)";
  return from + " → " + text::clean(e.to);
}

// Those that were taken, the most first; the others are only named.
struct Taken {
  std::vector<const Edge*> edges;
  std::map<std::string, std::vector<std::string>> unseen;  // by why
};

template <class Is, class Much>
Taken taken(const snapshot::Snapshot& snapshot, Is is, Much much) {
  Taken out;
  for (const Edge& e : snapshot.edges) {
    if (is(e))
      out.edges.push_back(&e);
    else
      out.unseen[doubt_of_none(snapshot, e)].push_back(ends(e));
  }
  std::ranges::stable_sort(out.edges, std::greater<>(), [&](const Edge* e) { return much(*e); });
  for (auto& [why, names] : out.unseen) {
    if (names.size() <= kUnseenShown) continue;
    const size_t others = names.size() - kUnseenShown;
    names.resize(kUnseenShown);
    names.push_back(fmt::format("{} more", others));
  }
  return out;
}

void append_unseen(Lines& out, const Taken& all, const Style& style, size_t width) {
  for (const auto& [why, names] : all.unseen)
    append(out,
           listing(style, "in the spec, " + (why.empty() ? "never taken" : why), names, width));
}

template <class RowOf>
Lines table_of(const std::vector<const Edge*>& edges, Table table, RowOf row_of, const Style& style,
               size_t width) {
  for (size_t i = 0; i < std::min(edges.size(), kEdgesShown); ++i) table.add(row_of(*edges[i]));
  if (edges.size() > kEdgesShown)
    table.add(more(fmt::format("{} more", edges.size() - kEdgesShown)));
  return indented(table, style, width);
}

Lines counted(const snapshot::Snapshot& snapshot, const Style& style, size_t width) {
  const Taken all = taken(
      snapshot, [](const Edge& e) { return e.count > 0 || e.raw_ns > 0; },
      [](const Edge& e) { return e.count; });
  const bool any_declared = std::ranges::any_of(snapshot.edges, &Edge::declared);
  const auto least = [&](const Edge& e, const std::string& figure) -> text::Cell {
    if (!misses_calls(snapshot, e)) return {figure};
    return {"≥" + figure, Ink::kAmber};
  };
  Lines out = table_of(
      all.edges,
      Table({{"", false, 0, 0}, {"calls", true, 9, 0}, {"raw", true, 7, 2}, {"", false, 15, 1}},
            0.5),
      [&](const Edge& e) -> text::Row {
        const bool undeclared = any_declared && !e.declared && e.from;
        return {{{ends(e)},
                 least(e, text::count(e.count)),
                 least(e, text::duration(e.raw_ns)),
                 {undeclared ? "not in the spec" : "", Ink::kPlain}},
                "",
                Ink::kPlain};
      },
      style, width);
  append_unseen(out, all, style, width);
  return out;
}

bool any_calls(const std::vector<const Edge*>& edges) {
  return std::ranges::any_of(edges, [](const Edge* e) { return e->estimated->calls.has_value(); });
}

Lines timed(const snapshot::Snapshot& snapshot, const Style& style, size_t width) {
  if (!sampled_at_all(snapshot)) return {};
  const Taken all = taken(
      snapshot, [](const Edge& e) { return e.estimated.has_value(); },
      [](const Edge& e) {
        const auto& of = *e.estimated;
        return std::pair(of.raw_ns ? of.raw_ns->value_ns : 0, of.calls ? of.calls->value : 0);
      });
  Lines out = table_of(
      all.edges,
      Table({{"", false, 0, 0},
             {"raw", true, 8, 0},
             {"±", true, 6, 1},
             {any_calls(all.edges) ? "calls" : "", true, 9, 2}},
            0.6),
      [](const Edge& e) -> text::Row {
        const auto& calls = e.estimated->calls;
        return {{{ends(e)},
                 time_cell(*e.estimated, &Estimated::raw_ns),
                 spread_cell(*e.estimated, &Estimated::raw_ns),
                 {calls ? snapshot::value_text(*calls) + " " + snapshot::spread_text(*calls) : ""}},
                "",
                Ink::kPlain};
      },
      style, width);
  append_unseen(out, all, style, width);
  return out;
}

}  // namespace

Lines edges(const snapshot::Snapshot& snapshot, const Style& style, size_t width) {
  return rests_on_samples(snapshot) ? timed(snapshot, style, width)
                                    : counted(snapshot, style, width);
}

}  // namespace compmond::terminal
