// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "base/result.h"
#include "terminal/component_cells.h"
#include "terminal/estimate_cells.h"
#include "terminal/order.h"
#include "terminal/parts.h"
#include "text/clean.h"
#include "text/columns.h"
#include "text/numbers.h"
#include "text/table.h"

namespace compmond::terminal {
namespace {

using snapshot::Component;
using snapshot::Estimated;
using snapshot::Figures;
using text::Cell;
using text::Row;
using text::Table;

constexpr double kNames = 0.3;         // of the width, at most
constexpr size_t kMostOperations = 5;  // per component; the snapshot has them all
constexpr size_t kMostEdges = 25;
constexpr size_t kMostUnseen = 12;  // connections of the spec

Cell share_cell(const Estimated& e, double seconds) {
  if (!(seconds > 0) || !e.net_real_ns || only_bound(e, &Estimated::net_real_ns))
    return {"–", Ink::kQuiet};
  return {(e.net_real_at_least ? "≥" : "") + text::percent(e.net_real_ns->value_ns / seconds / 1e7),
          e.net_real_at_least ? Ink::kAmber : Ink::kPlain};
}

// `raw_ns`: as probes saw it, where samples need not tell it.
std::vector<Cell> time_cells(const Estimated& e, double seconds, uint64_t raw_ns) {
  return {time_cell(e, &Estimated::net_real_ns),
          spread_cell(e, &Estimated::net_real_ns),
          share_cell(e, seconds),
          time_cell(e, &Estimated::cpu_ns),
          time_cell(e, &Estimated::waiting_ns),
          e.raw_ns ? time_cell(e, &Estimated::raw_ns) : Cell{text::duration(raw_ns)}};
}

constexpr snapshot::TimeOf kShown[] = {&Estimated::net_real_ns, &Estimated::cpu_ns,
                                       &Estimated::waiting_ns, &Estimated::raw_ns};

std::vector<text::Column> time_columns() {
  return {{"real", true, 8, 0},   {"", true, 5, 4},        {"of wall", true, 7, 3},
          {"on CPU", true, 7, 0}, {"waiting", true, 7, 2}, {"raw", true, 7, 5}};
}

// Of those that probes saw while others were away.
Cell calls_cell(const Component& c) {
  const bool group = c.operations.empty();
  if (group ? !c.subtree.seen : !c.figures.seen) return {"–", Ink::kQuiet};
  if (group) return {text::count(c.subtree.calls), Ink::kQuiet};
  return {(c.figures.at_least ? "≥" : "") + text::count(c.figures.calls),
          c.figures.at_least ? Ink::kAmber : Ink::kPlain};
}

Row component_row(const snapshot::Snapshot& snapshot, const Placed& placed, const Style& style,
                  size_t width) {
  const Component& c = *placed.component;
  Row row{{{shown_name(placed)}}, "", Ink::kAmber};
  if (c.status == snapshot::Status::kRefused) {
    row.span = "refused: " + refusal(c);
    return row;
  }
  const bool group = c.operations.empty();
  const Estimated none;
  const Estimated& e = group                 ? c.subtree.estimated.value_or(none)
                       : c.figures.estimated ? *c.figures.estimated
                                             : none;
  row.cells.push_back(
      group ? Cell{""}
            : Cell{hotness_cell(style, c.figures.hotness, width), heat(c.figures.hotness)});
  for (Cell& cell : time_cells(e, window_seconds(snapshot), c.figures.raw_ns)) {
    if (group) cell.ink = Ink::kQuiet;
    row.cells.push_back(std::move(cell));
  }
  if (is_busy(snapshot)) row.cells.push_back(calls_cell(c));
  row.cells.push_back({c.status == snapshot::Status::kPartial ? "◐"
                       : group                                ? "Σ"
                                                              : "",
                       Ink::kAmber});
  return row;
}

bool sampled_at_all(const snapshot::Snapshot& snapshot) {
  return snapshot.health.samples && snapshot.health.samples->taken > 0;
}

}  // namespace

Lines sampled_components(const snapshot::Snapshot& snapshot, const Style& style, size_t width) {
  if (!sampled_at_all(snapshot))
    return flow(
        style,
        {{"No sample yet: the program did nothing, or the first second is not over.", Ink::kQuiet}},
        width);
  std::vector<text::Column> columns = {{"component", false, kIndentMost, 0},
                                       {bar_width(width) > 0 ? "hotness" : "hot", false, 3, 0}};
  std::ranges::move(time_columns(), std::back_inserter(columns));
  if (is_busy(snapshot)) columns.push_back({"calls", true, 9, 1});
  columns.push_back({"", false, 2, 0, true});
  Table table(std::move(columns), kNames);
  for (const Placed& placed : by_heat(snapshot))
    table.add(component_row(snapshot, placed, style, width));
  return table.lines(look_of(style), width);
}

Lines sampled_legend(const snapshot::Snapshot& snapshot, const Style& style, size_t width) {
  if (!sampled_at_all(snapshot)) return {};
  bool bound = false, more = false, partial = false, group = false;
  for (const Component& c : snapshot.components) {
    group |= c.operations.empty();
    partial |= c.status == snapshot::Status::kPartial;
    if (!c.figures.estimated) continue;
    for (const snapshot::TimeOf time : kShown) {
      const Estimated& e = *c.figures.estimated;
      if (!(e.*time)) continue;
      bound |= only_bound(e, time);
      more |= at_least(e, time) && !only_bound(e, time);
    }
  }
  std::vector<Segment> said{{"estimated from samples, ± with 95 % confidence", Ink::kQuiet}};
  if (bound) said.push_back({"< too few samples for a value", Ink::kQuiet});
  if (more) said.push_back({"≥ may be more: cut stacks, or unseen waits", Ink::kAmber});
  if (partial) said.push_back({"◐ some not known", Ink::kAmber});
  if (group) said.push_back({"Σ sum of the components below", Ink::kQuiet});
  return flow(style, said, width);
}

Lines sampled_operations(const snapshot::Snapshot& snapshot, const Style& style, size_t width) {
  if (!sampled_at_all(snapshot)) return {};
  std::vector<text::Column> columns = {{"", false, 0, 0}};
  std::ranges::move(time_columns(), std::back_inserter(columns));
  Table table(std::move(columns), 0.5);
  for (const Placed& placed : by_heat(snapshot)) {
    const Component& component = *placed.component;
    std::vector<const snapshot::Operation*> met;
    for (const snapshot::Operation& o : component.operations)
      if (o.figures.estimated && o.figures.estimated->samples > 0) met.push_back(&o);
    if (met.empty()) continue;
    std::ranges::stable_sort(met, [](const auto* a, const auto* b) {
      return shown_real_ns(a->figures) > shown_real_ns(b->figures);
    });
    table.add({{{text::clean(component.name)}}, "", Ink::kPlain});
    for (size_t i = 0; i < std::min(met.size(), kMostOperations); ++i) {
      Row row{{{"  " + text::clean(met[i]->name)}}, "", Ink::kPlain};
      std::ranges::move(
          time_cells(*met[i]->figures.estimated, window_seconds(snapshot), met[i]->figures.raw_ns),
          std::back_inserter(row.cells));
      table.add(std::move(row));
    }
    if (met.size() > kMostOperations)
      table.add({{{fmt::format("  {} more", met.size() - kMostOperations), Ink::kQuiet}},
                 "",
                 Ink::kQuiet});
  }
  return table.empty() ? Lines() : moved_in(table.lines(look_of(style), width - 2));
}

Lines sampled_edges(const snapshot::Snapshot& snapshot, const Style& style, size_t width) {
  if (!sampled_at_all(snapshot)) return {};
  std::vector<const snapshot::Edge*> met;
  std::vector<Segment> unseen;
  const auto ends = [](const snapshot::Edge& e) {
    return (e.from ? text::clean(*e.from) : "(outside)") + " → " + text::clean(e.to);
  };
  for (const snapshot::Edge& e : snapshot.edges) {
    if (e.estimated)
      met.push_back(&e);
    else
      unseen.push_back({ends(e), Ink::kQuiet});
  }
  std::ranges::stable_sort(met, std::greater<>(), [](const snapshot::Edge* e) {
    return e->estimated->raw_ns ? e->estimated->raw_ns->value_ns : 0;
  });
  Table table({{"", false, 0, 0}, {"raw", true, 8, 0}, {"", true, 5, 1}}, 0.6);
  for (size_t i = 0; i < std::min(met.size(), kMostEdges); ++i) {
    const Estimated& e = *met[i]->estimated;
    table.add(
        {{{ends(*met[i])}, time_cell(e, &Estimated::raw_ns), spread_cell(e, &Estimated::raw_ns)},
         "",
         Ink::kPlain});
  }
  if (met.size() > kMostEdges)
    table.add({{{fmt::format("{} more", met.size() - kMostEdges), Ink::kQuiet}}, "", Ink::kQuiet});
  Lines out = table.empty() ? Lines() : moved_in(table.lines(look_of(style), width - 2));
  if (unseen.empty()) return out;
  if (unseen.size() > kMostUnseen) {
    const size_t others = unseen.size() - kMostUnseen;
    unseen.resize(kMostUnseen);
    unseen.push_back({fmt::format("{} more", others), Ink::kQuiet});
  }
  unseen.front().text.insert(0, fmt::format("in the spec, not seen in {} samples: ",
                                            text::count(snapshot.health.samples->taken)));
  std::ranges::move(moved_in(flow(style, unseen, width - 2)), std::back_inserter(out));
  return out;
}

}  // namespace compmond::terminal
