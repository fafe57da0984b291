// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "snapshot/doubt.h"
#include "snapshot/estimate_text.h"
#include "text/numbers.h"
#include "ui/kit/draw.h"
#include "ui/model/inside_link.h"
#include "ui/model/switching.h"
#include "ui/views/shared/definitions.h"
#include "ui/views/shared/estimated.h"
#include "ui/views/shared/heat.h"
#include "ui/views/shared/slo.h"
#include "ui/views/table/sparkline.h"
#include "ui/views/table/table.h"
#include "ui/views/table/table_columns.h"

namespace compmond::ui {
namespace {

using snapshot::Figures;

// What samples tell in a column: instead of what probes would, or beside it.
const snapshot::Estimated* estimate_in(const Figures& figures, const TableColumn& column) {
  if (!figures.seen || !column.estimate) return estimated_of(figures);
  return figures.estimated && (*figures.estimated).*column.estimate ? &*figures.estimated : nullptr;
}

// Whether it is how many calls there were, of which slices tell.
bool is_from_slices(const Figures& figures, const TableColumn& column) {
  return estimated_calls(figures) && (column.term == Term::kCalls || column.term == Term::kRate);
}

// How far its estimate may be off; empty: it is none.
std::string spread_in(const Figures& figures, const TableColumn& column,
                      const snapshot::Estimated* of) {
  if (of) return spread_text(*of, column.estimate);
  return is_from_slices(figures, column) ? spread_text(*estimated_calls(figures)) : "";
}

// Whether it grows with calls that were not seen.
bool is_at_least(const Figures& figures, const TableColumn& column) {
  static constexpr Term kGrow[] = {Term::kCalls, Term::kRate, Term::kRaw, Term::kMax,
                                   Term::kViolations};
  return figures.at_least && !is_from_slices(figures, column) &&
         std::ranges::find(kGrow, column.term) != std::end(kGrow);
}

// Whether it describes single calls, of which there may have been some that were not seen.
bool is_of_calls(const TableColumn& column) {
  return column.term == Term::kMean || column.term == Term::kMeanReal ||
         column.term == Term::kP50 || column.term == Term::kP90 || column.term == Term::kP99;
}

// Why nothing is known of it although it is observed; empty: something is.
std::string_view why_none(const Figures& figures, const TableColumn& column, double value) {
  if (!figures.seen) return "";
  const bool longest = column.term == Term::kMax;
  if (is_at_least(figures, column) && !tells_calls(figures))
    return "No call was seen, but not all were looked at: probes were away, or records lost.";
  return (is_of_calls(column) || longest) && value <= 0 ? "No call was seen." : "";
}

}  // namespace

void TableView::draw_figures(const Canvas& canvas, const Plan& plan, const Model& model,
                             const snapshot::Figures& figures, const Known& known, RowKind kind,
                             float y) const {
  const Theme& theme = canvas.theme;
  const double seconds = double(model.figures_interval().length()) / 1e9;
  ImFont* font = kind == RowKind::kOperation ? theme.mono_small : theme.mono;
  const float at = y + (canvas.px(kTableRow) - font->FontSize) / 2;
  for (const Column& column : plan.columns) {
    if (!plan.shows(column)) continue;
    const TableColumn& what = table_columns()[column.index];
    const double value = what.value(figures, seconds);
    const bool real = what.term == Term::kNetReal;
    const snapshot::Estimated* of = what.estimate ? estimate_in(figures, what) : nullptr;
    const bool none = !of && !why_none(figures, what, value).empty();
    const bool amber =
        !known.wanted &&
        ((real && !of && (figures.uncertain || figures.closed.lossy > 0 || ends_unsure(figures))) ||
         (what.single && single_uncertain(figures, uint64_t(value))) ||
         (figures.at_least && !of && !seen_in_part(figures) &&
          (real || is_of_calls(what) || is_at_least(figures, what))));
    const float left = column.right - column.width + canvas.px(12);
    if (amber && !none && !times_estimated(figures))
      draw_hatch(canvas.list, {left, y + canvas.px(kTableRow - 5)},
                 {column.right, y + canvas.px(kTableRow - 2)}, with_alpha(theme.amber, 0.8f),
                 canvas.px(4));
    const bool red = what.term == Term::kViolations && value > 0;
    const ImU32 colour = amber ? theme.amber
                         : red ? theme.red
                         : value > 0 && kind == RowKind::kComponent && known.off.empty()
                             ? theme.text
                             : theme.dim;
    const bool told = known.measured && !none && !(of && tells_nothing(figures, what.estimate)) &&
                      (known.off.empty() || of || value > 0) &&
                      (of || (kind == RowKind::kGroup ? figures.seen && what.adds_up()
                              : figures.seen          ? !what.of_samples || value > 0
                                                      : what.without_calls()));
    const std::string shown = !told ? "–"
                              : of  ? value_text(*of, what.estimate)
                                    : (is_from_slices(figures, what)              ? "≈"
                                       : is_at_least(figures, what) && value >= 0 ? "≥"
                                                                                  : "") +
                                         what.text(value);
    if (red)
      draw_missed_mark(canvas.list, theme,
                       {column.right - text_size(font, shown).x - canvas.px(9),
                        y + canvas.px(kTableRow / 2 + 4)},
                       canvas.px(8));
    // A zero is shown only where it was measured.
    draw_text_right(canvas.list, font, {column.right - column.spread, at},
                    !known.measured                       ? theme.amber
                    : !told                               ? theme.faint
                    : of && !is_value(*of, what.estimate) ? theme.dim
                                                          : colour,
                    shown);
    if (column.spread > 0)
      draw_text_right(canvas.list, theme.mono_small,
                      {column.right, y + (canvas.px(kTableRow) - theme.mono_small->FontSize) / 2},
                      theme.dim, spread_in(figures, what, of));
    if (ImGui::IsWindowHovered() &&
        ImGui::IsMouseHoveringRect({left, y}, {column.right, y + canvas.px(kTableRow)}))
      figure_tooltip(canvas, model, column.index, figures, known);
  }
}

void TableView::figure_tooltip(const Canvas& canvas, const Model& model, size_t column,
                               const Figures& figures, const Known& known) const {
  const TableColumn& what = table_columns()[column];
  const bool real = what.term == Term::kNetReal;
  const snapshot::Estimated* of = what.estimate ? estimate_in(figures, what) : nullptr;
  const Definition& def = definition(!of                       ? what.term
                                     : real                    ? Term::kEstimated
                                     : what.term == Term::kRaw ? Term::kRawEstimated
                                                               : what.term);
  if (!known.measured)
    return tooltip(canvas.theme, def.title, "Not observed, so there is no figure.");
  const double seconds = double(model.figures_interval().length()) / 1e9;
  const double value = what.value(figures, seconds);
  if (!known.off.empty() && !of && value <= 0)
    return tooltip(canvas.theme, def.title, "Nothing was seen: it is " + known.off + ".", def.text);
  if (!figures.seen && !what.without_calls())
    return tooltip(canvas.theme, def.title,
                   std::string(kNoSingleCalls) + " Run with probes for this figure.", def.text);
  if (const auto why = why_none(figures, what, value); !of && !why.empty())
    return tooltip(canvas.theme, def.title,
                   fmt::format("{}{} {}", why,
                               figures.observed_share ? fmt::format(" Its probes were there{}.",
                                                                    observed_text(figures))
                                                      : std::string(),
                               how_calls_are_known(figures)),
                   def.text);
  std::string text(def.text);
  if (!known.off.empty()) text += "\nOf the time before: it is " + known.off + ".";
  if (of)
    text = interval_text(*of, what.estimate) + "\n" + samples_text(*of) + "\n" + text;
  else if (real)
    text = fmt::format("{} real, {} of it probe cost taken out\n",
                       text::duration(double(figures.real_ns)),
                       text::duration(double(figures.real_ns -
                                             std::min(figures.real_ns, figures.net_real_ns)))) +
           text;
  if (what.term == Term::kWaiting && !of) {
    const Definition& marked = definition(Term::kWaitingMarked);
    return tooltip(canvas.theme, marked.title, "", marked.text);
  }
  if (what.term == Term::kWaiting && model.snapshot->health.samples->off_cpu_share <= 0)
    text = "Waiting is not sampled.\n" + text;
  if (real && !of && figures.uncertain)
    text += fmt::format("\nUncertain: {}.", why_uncertain(*model.snapshot));
  if (what.single && single_uncertain(figures, uint64_t(value)))
    text += "\nUncertain: more than a third of it is what probes cost.";
  if (what.term == Term::kCalls || what.term == Term::kRate)
    if (const std::string how = how_calls_are_known(figures); !how.empty()) text += "\n" + how;
  if (figures.at_least && is_of_calls(what))
    text += fmt::format("\nOf the calls that were seen{}.", observed_text(figures));
  else if (figures.at_least && !of && !is_from_slices(figures, what))
    text += "\n" + std::string(definition(Term::kAtLeast).text);
  if (real && !of && ends_unsure(figures))
    text += fmt::format("\nIt may be off by {}: when some calls were left is known within bounds.",
                        text::duration(double(figures.unsure_ns)));
  if (figures.closed.lossy > 0)
    text += fmt::format("\n{} executions are lossy: their ends were not seen.",
                        text::count(figures.closed.lossy));
  tooltip(canvas.theme, def.title, text);
}

void TableView::draw_row(const Canvas& canvas, const Plan& plan, Model& model, const TableRow& row,
                         float y) {
  const Theme& theme = canvas.theme;
  if (row.component >= model.snapshot->components.size()) return;
  const auto& component = model.snapshot->components[row.component];
  const bool whole = row.operation == TableRow::kWhole;
  if (!whole && row.operation >= component.operations.size()) return;
  const ImVec2 min{canvas.min.x, y}, max{canvas.max.x, y + canvas.px(kTableRow)};
  const bool selected =
      model.selection.component == component.name &&
      (whole ? model.selection.operation.empty()
             : model.selection.operation == component.operations[row.operation].name);
  ImGui::SetCursorScreenPos({min.x + canvas.px(32), min.y});
  if (ImGui::InvisibleButton("row", {max.x - min.x - canvas.px(32), max.y - min.y})) {
    model.selection = {component.name, whole ? "" : component.operations[row.operation].name, {}};
  }
  if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left))
    show_inside(model, component.name, whole ? "" : component.operations[row.operation].name);
  if (selected) {
    canvas.list->AddRectFilled(min, max, with_alpha(theme.blue_fill, 0.22f));
    canvas.list->AddRectFilled(min, {min.x + canvas.px(3), max.y}, theme.blue);
  } else if (ImGui::IsItemHovered()) {
    canvas.list->AddRectFilled(min, max, with_alpha(theme.blue, 0.07f));
  }
  draw_name(canvas, plan, model, row, y);
  // Of a sum there is none: the rows below it have theirs.
  if (whole && !component.operations.empty() && plan.spark_right > plan.spark_left)
    draw_sparkline(canvas, model, component.name, {plan.spark_left, y + canvas.px(4)},
                   {plan.spark_right, max.y - canvas.px(4)});
  ImGui::PushClipRect({plan.left, min.y}, {plan.right, max.y}, true);
  draw_cells(canvas, plan, model, row, y);
  ImGui::PopClipRect();
}

void TableView::draw_cells(const Canvas& canvas, const Plan& plan, const Model& model,
                           const TableRow& row, float y) const {
  const auto& component = model.snapshot->components[row.component];
  if (row.operation != TableRow::kWhole) {
    const auto& operation = component.operations[row.operation];
    return draw_figures(
        canvas, plan, model, operation.figures,
        {has_figures(operation), is_off(operation) || unseen_by_wish(*model.snapshot),
         off_text(model, operation)},
        RowKind::kOperation, y);
  }
  const Eased& eased = model.eased_of(component.name);
  const float bottom = y + canvas.px(kTableRow);
  // A bar of hotness under its number, so that the hottest is found without reading.
  for (const Column& column : plan.columns)
    if (table_columns()[column.index].term == Term::kHotness) {
      const float width = (column.width - canvas.px(12)) * float(eased.hotness / 100);
      if (width >= 1)
        canvas.list->AddRectFilled(
            {column.right - width, bottom - canvas.px(5)}, {column.right, bottom - canvas.px(3)},
            heat_of(canvas.theme, model, component.name, std::max(40.0, eased.hotness)),
            canvas.px(1));
    }
  const bool group = component.operations.empty();
  draw_figures(canvas, plan, model,
               group ? figures_within(model.snapshot->components, component) : component.figures,
               {component.status != snapshot::Status::kRefused,
                unseen_by_wish(*model.snapshot) || off_count(*model.snapshot, component).off > 0,
                off_text(model, component)},
               group ? RowKind::kGroup : RowKind::kComponent, y);
}

}  // namespace compmond::ui
