// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "base/result.h"
#include "snapshot/doubt.h"
#include "terminal/figure_columns.h"
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
using text::Cell;
using text::Row;
using text::Table;

constexpr double kNameShare = 0.25;
constexpr size_t kIndentMost = 8;  // deeper nesting is not worth the room that names need

// Of the bar beside a hotness: narrow tables have no room for one.
size_t bar_width(size_t width) {
  return width >= 140 ? 16 : width >= 110 ? 10 : width >= 96 ? 8 : width >= 76 ? 6 : 0;
}

std::string hotness_cell(const Style& style, double hotness, size_t width) {
  const std::string number = text::padded(text::hotness(hotness), 3, true);
  const size_t bars = bar_width(width);
  return bars == 0 ? number : text::padded(bar(style, hotness, bars), bars + 1, false) + number;
}

std::string shown_name(const Component& component, size_t depth) {
  const std::string& path = component.name;
  const std::string_view name = depth == 0 ? path : text::leaf(path);
  return std::string(std::min(2 * depth, kIndentMost), ' ') + text::clean(name);
}

bool is_idle(const snapshot::Snapshot& snapshot) {
  if (rests_on_samples(snapshot)) return false;
  const Totals sums = totals(snapshot);
  return sums.calls == 0 && sums.open == 0;
}

std::string marks(const Component& c) {
  std::string out;
  const auto add = [&](const std::string& mark) { out += (out.empty() ? "" : " ") + mark; };
  if (c.figures.open > 0) add("▸" + text::count(c.figures.open));
  if (c.status == snapshot::Status::kPartial) add("◐");
  if (c.status == snapshot::Status::kDisabled) add("off");
  if (c.figures.closed.lossy > 0 || ends_unsure(c.figures)) add("!");
  if (c.figures.truncated > 0) add("^");
  if (const uint64_t missed = violations(c.figures)) add("▲" + text::count(missed));
  return out;
}

bool is_doubtful(const Component& c) {
  return c.figures.uncertain || c.figures.closed.lossy > 0 || ends_unsure(c.figures) ||
         c.figures.truncated > 0 || c.status == snapshot::Status::kPartial;
}

// Nothing is hot of which is not told what the metric ranks.
Cell hot_cell(const Component& c, bool told, const Style& style, size_t width) {
  if (only_groups(c)) return {""};
  if (told && (!is_idle(c.figures) || c.figures.hotness > 0))  // a deviation may be of what stopped
    return {hotness_cell(style, c.figures.hotness, width), heat(c.figures.hotness)};
  return {text::padded(kUntold, bar_width(width) > 0 ? bar_width(width) + 4 : 3, true),
          Ink::kQuiet};
}

Row row_of(const snapshot::Snapshot& snapshot, const FigureColumns& columns,
           const snapshot::Placed& placed, const Style& style, size_t width) {
  const Component& c = snapshot.components[placed.component];
  const bool group = only_groups(c);
  Row row{{{shown_name(c, placed.depth), is_idle(c.figures) ? Ink::kQuiet : Ink::kPlain}},
          "",
          Ink::kAmber};
  if (c.status == snapshot::Status::kRefused) {
    row.span = "refused: " + refusal(c);
    row.cells[0].ink = Ink::kPlain;
    return row;
  }
  const snapshot::Figures sum =
      group ? figures_within(snapshot.components, c) : snapshot::Figures();
  const bool unproven = !group && is_idle(c.figures) && !doubt_of_none(snapshot, c).empty();
  std::vector<Cell> cells =
      columns.cells({group ? sum : c.figures, group || !only_counted(c), group, unproven});
  row.cells.push_back(hot_cell(c, cells.front().text != kUntold, style, width));
  std::ranges::move(cells, std::back_inserter(row.cells));
  row.cells.push_back({marks(c), is_doubtful(c)              ? Ink::kAmber
                                 : violations(c.figures) > 0 ? Ink::kRed
                                                             : Ink::kQuiet});
  return row;
}

Table component_table(const FigureColumns& figures, size_t width) {
  std::vector<text::Column> columns = {{"component", false, kIndentMost, 0},
                                       {bar_width(width) > 0 ? "hotness" : "hot", false, 3, 0}};
  std::ranges::move(figures.columns(), std::back_inserter(columns));
  columns.push_back({"", false, 2, 0, true});
  return Table(std::move(columns), kNameShare);
}

// What is said in place of a table of zeros.
Lines nothing_called(const snapshot::Snapshot& snapshot, const Style& style, size_t width) {
  const snapshot::Health& health = snapshot.health;
  const std::string operations = text::counted(health.attached, "operation");
  std::vector<Segment> said;
  if (health.attached == 0 && !health.disabled.empty())
    said = {{"Nothing is attached: operations are switched off."}};
  else if (health.attached == 0)
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

// Of a run that knows nothing but samples.
bool waits_for_samples(const snapshot::Snapshot& snapshot) {
  return knows_no_calls(snapshot) && !sampled_at_all(snapshot);
}

}  // namespace

Lines components(const snapshot::Snapshot& snapshot, const Style& style, size_t width) {
  if (waits_for_samples(snapshot))
    return flow(
        style,
        {{"No sample yet: the program did nothing, or the first second is not over.", Ink::kQuiet}},
        width);
  const bool idle = is_idle(snapshot);
  const FigureColumns columns(snapshot, FigureColumns::Of::kComponents);
  Table table = component_table(columns, width);
  for (const snapshot::Placed& placed : by_heat(snapshot))
    if (!idle || snapshot.components[placed.component].status == snapshot::Status::kRefused)
      table.add(row_of(snapshot, columns, placed, style, width));
  if (!idle) return table.lines(look_of(style), width);
  Lines out = nothing_called(snapshot, style, width);
  if (table.empty()) return out;
  Lines refused = table.lines(look_of(style), width);
  refused.front().clear();  // no titles over sentences
  out.insert(out.end(), refused.begin(), refused.end());
  return out;
}

}  // namespace compmond::terminal
