// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/result.h"
#include "terminal/component_cells.h"
#include "terminal/order.h"
#include "terminal/parts.h"
#include "text/clean.h"
#include "text/columns.h"
#include "text/match.h"
#include "text/numbers.h"
#include "text/table.h"

namespace compmond::terminal {
namespace {

using snapshot::Component;
using snapshot::Figures;
using text::Cell;
using text::Row;
using text::Table;

constexpr double kNameShare = 0.25;

std::string marks(const Component& c) {
  std::string out;
  const auto add = [&](const std::string& mark) { out += (out.empty() ? "" : " ") + mark; };
  if (c.figures.open > 0) add("▸" + text::count(c.figures.open));
  if (c.status == snapshot::Status::kPartial) add("◐");
  if (c.figures.closed.lossy > 0) add("!");
  if (c.figures.truncated > 0) add("^");
  if (const uint64_t missed = violations(c.figures)) add("▲" + text::count(missed));
  return out;
}

bool is_doubtful(const Component& c) {
  return c.figures.uncertain || c.figures.closed.lossy > 0 || c.figures.truncated > 0 ||
         c.status == snapshot::Status::kPartial;
}

// The cells behind the name, in the order of the columns.
std::vector<Cell> group_cells(const Component& c, double seconds) {
  const Ink quiet = Ink::kQuiet;
  const double share = seconds > 0 ? double(c.subtree.net_real_ns) / seconds / 1e7 : 0;
  return {{""},
          {"Σ" + text::duration(c.subtree.net_real_ns), quiet},
          {seconds > 0 ? text::percent(share) : "–", quiet},
          {""},
          {text::count(c.subtree.calls), quiet},
          {seconds > 0 ? text::rate(double(c.subtree.calls) / seconds) : "–", quiet},
          {""},
          {""},
          {""}};
}

std::vector<Cell> figure_cells(const snapshot::Snapshot& snapshot, const Component& c,
                               const Style& style, size_t width) {
  const Figures& f = c.figures;
  const double seconds = window_seconds(snapshot);
  const bool idle = f.calls == 0 && f.open == 0;
  const bool timed = !idle && !only_counted(c);
  const Ink ink = idle ? Ink::kQuiet : Ink::kPlain;
  const auto time = [&](uint64_t ns) {
    return Cell{timed ? text::duration(ns) : "–", timed ? ink : Ink::kQuiet};
  };
  const char* about = f.uncertain && timed ? "~" : "";
  const Ink trust = f.uncertain && timed ? Ink::kAmber : timed ? ink : Ink::kQuiet;
  const double share = seconds > 0 ? double(f.net_real_ns) / seconds / 1e7 : 0;
  const bool unproven = idle && !zero_is_proven(snapshot, c);
  const Cell calls{(f.at_least ? "≥" : "") + text::count(f.calls), f.at_least ? Ink::kAmber : ink};
  const std::string no_hotness =
      text::padded("–", bar_width(width) > 0 ? bar_width(width) + 4 : 3, true);
  return {{timed ? hotness_cell(style, f.hotness, width) : no_hotness,
           timed ? heat(f.hotness) : Ink::kQuiet},
          {about + time(f.net_real_ns).text, trust},
          {timed && seconds > 0 ? (share < 0.01 ? "" : about) + text::percent(share) : "–", trust},
          time(f.raw_ns),
          unproven ? Cell{"?", Ink::kAmber} : calls,
          {idle || seconds <= 0 ? "–" : text::rate(double(f.calls) / seconds), ink},
          time(f.mean_ns),
          time(f.p99_ns),
          {marks(c), is_doubtful(c)              ? Ink::kAmber
                     : violations(c.figures) > 0 ? Ink::kRed
                                                 : Ink::kQuiet}};
}

Table component_table(size_t width) {
  return Table({{"component", false, kIndentMost, 0},
                {bar_width(width) > 0 ? "hotness" : "hot", false, 3, 0},
                {"net real", true, 8, 0},
                {"of wall", true, 7, 2},
                {"raw", true, 7, 7},
                {"calls", true, 9, 1},
                {"calls/s", true, 7, 8},
                {"mean", true, 7, 6},
                {"p99", true, 7, 3},
                {"", false, 2, 0, true}},
               kNameShare);
}

Row row_of(const snapshot::Snapshot& snapshot, const Placed& placed, const Style& style,
           size_t width) {
  const Component& c = *placed.component;
  const bool idle = c.figures.calls == 0 && c.figures.open == 0;
  Row row{{{shown_name(placed), idle ? Ink::kQuiet : Ink::kPlain}}, "", Ink::kAmber};
  if (c.status == snapshot::Status::kRefused) {
    row.span = "refused: " + refusal(c);
    row.cells[0].ink = Ink::kPlain;
    return row;
  }
  auto cells = only_groups(c) ? group_cells(c, window_seconds(snapshot))
                              : figure_cells(snapshot, c, style, width);
  row.cells.insert(row.cells.end(), std::make_move_iterator(cells.begin()),
                   std::make_move_iterator(cells.end()));
  return row;
}

// What is said in place of a table of zeros.
Lines nothing_called(const snapshot::Snapshot& snapshot, const Style& style, size_t width) {
  const snapshot::Health& health = snapshot.health;
  const std::string operations = text::counted(health.attached, "operation");
  std::vector<Segment> said;
  if (health.attached == 0)
    said = {{"Nothing is attached: every operation was refused.", Ink::kAmber}};
  else if (health.lost > 0)
    said = {{fmt::format("Attached to {}. No call was seen, but events were lost.", operations),
             Ink::kAmber}};
  else
    said = {{fmt::format("Attached to {}, none called in this window.", operations)}};
  Lines out = flow(style, said, width);
  if (health.attached > 0 && health.lost == 0)
    for (std::string& line :
         flow(style, {{"Give the program work, or widen the window.", Ink::kQuiet}}, width))
      out.push_back(std::move(line));
  return out;
}

}  // namespace

Lines components(const snapshot::Snapshot& snapshot, const Style& style, size_t width) {
  if (rests_on_samples(snapshot)) return sampled_components(snapshot, style, width);
  const Totals sums = totals(snapshot);
  const bool idle = sums.calls == 0 && sums.open == 0;
  Table table = component_table(width);
  for (const Placed& placed : by_heat(snapshot))
    if (!idle || placed.component->status == snapshot::Status::kRefused)
      table.add(row_of(snapshot, placed, style, width));
  if (!idle) return table.lines(look_of(style), width);
  Lines out = nothing_called(snapshot, style, width);
  if (table.empty()) return out;
  Lines refused = table.lines(look_of(style), width);
  refused.front().clear();  // no titles over sentences
  out.insert(out.end(), refused.begin(), refused.end());
  return out;
}

Lines legend(const snapshot::Snapshot& snapshot, const Style& style, size_t width) {
  if (rests_on_samples(snapshot)) return sampled_legend(snapshot, style, width);
  bool uncertain = false, at_least = false, lossy = false, open = false, partial = false,
       truncated = false, unproven = false, missed = false;
  bool counted = false, group = false;
  const Totals sums = totals(snapshot);
  if (sums.calls == 0 && sums.open == 0) return {};
  for (const Component& c : snapshot.components) {
    if (c.status == snapshot::Status::kRefused) continue;
    const bool idle = c.figures.calls == 0 && c.figures.open == 0;
    group |= only_groups(c);
    uncertain |= c.figures.uncertain && !idle && !only_counted(c);
    at_least |= c.figures.at_least && !idle;
    lossy |= c.figures.closed.lossy > 0;
    open |= c.figures.open > 0;
    partial |= c.status == snapshot::Status::kPartial;
    truncated |= c.figures.truncated > 0;
    missed |= violations(c.figures) > 0;
    unproven |= idle && !only_groups(c) && !zero_is_proven(snapshot, c);
    counted |= !idle && only_counted(c);
  }
  std::vector<Segment> said;
  const auto say = [&](bool present, const char* text, Ink ink) {
    if (present) said.push_back({text, ink});
  };
  say(uncertain, "~ uncertain: the probes' own cost is over a third of it", Ink::kAmber);
  say(at_least, "≥ some calls were not seen", Ink::kAmber);
  say(lossy, "! some ends were not seen: lost or detached", Ink::kAmber);
  say(truncated, "^ too deep: some ends were not seen", Ink::kAmber);
  say(partial, "◐ some not attached", Ink::kAmber);
  say(unproven, "? no call seen, which proves nothing here", Ink::kAmber);
  say(missed, "▲ objective missed", Ink::kRed);
  say(open, "▸ running now", Ink::kQuiet);
  say(counted, "– counted, not timed", Ink::kQuiet);
  say(group, "Σ sum of the components below", Ink::kQuiet);
  return flow(style, said, width);
}

}  // namespace compmond::terminal
