// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "text/clean.h"
#include "ui/kit/draw.h"
#include "ui/kit/table_head.h"
#include "ui/model/trace_links.h"
#include "ui/views/shared/heat.h"
#include "ui/views/shared/operation_name.h"
#include "ui/views/traces/traces.h"

namespace compmond::ui {
namespace {

constexpr float kRowHeight = 25, kLeastName = 230;  // design pixels

}  // namespace

const ListColumn& TracesView::column(size_t i) const {
  static constexpr ListColumn kName{"first operation", 0, 0, CellLook::kQuiet,
                                    "The call from outside that everything else belongs to."};
  if (i == ListOrder::kName) return kName;
  return classes() ? static_cast<const ListColumn&>(class_columns()[i]) : trace_columns()[i];
}

std::vector<size_t> TracesView::columns() const {
  std::vector<size_t> out(classes() ? class_columns().size() : trace_columns().size());
  std::iota(out.begin(), out.end(), 0);
  // A session is the only text of other people's here.
  if (!sessions_) std::erase_if(out, [&](size_t i) { return column(i).look == CellLook::kCut; });
  return out;
}

TracesView::Plan TracesView::plan(const Canvas& canvas) const {
  Plan out;
  const float left = canvas.min.x + canvas.px(18), right = canvas.max.x - canvas.px(20);
  std::vector<size_t> kept = columns();
  const float used = keep_what_fits(
      kept, canvas.px(kLeastName), right - left,
      [&](size_t i) { return canvas.px(column(i).width); },
      [&](size_t i) { return column(i).weight; });
  // Names take most of what is left, the other columns the rest.
  const float spare = std::max(0.0f, right - left - used);
  const float each = std::min(canvas.px(20), spare * 0.3f / float(kept.size()));
  out.name_left = left;
  out.name_right = left + canvas.px(kLeastName) + spare - each * float(kept.size());
  float x = out.name_right;
  for (const size_t i : kept) {
    const float end = x + canvas.px(column(i).width) + each;
    out.places.push_back({i, x, end});
    x = end;
  }
  return out;
}

void TracesView::head_cell(const Canvas& canvas, size_t i, float left, float right) {
  ListOrder& order = classes() ? classes_order_ : traces_order_;
  const ListColumn& what = column(i);
  const bool name = i == ListOrder::kName, can = classes() || name || trace_columns()[i].sort;
  const Sorted sorted = order.column != i ? Sorted::kNot
                        : order.ascending ? Sorted::kAscending
                                          : Sorted::kDescending;
  const HeadTouch touch = draw_head_cell(canvas, {what.title, left, right, !name, can}, sorted);
  if (touch.clicked) {
    order = {i, order.column == i ? !order.ascending : name};
    if (classes()) sort_classes();
  }
  if (touch.hovered) tooltip(canvas.theme, what.title, what.about, can ? "Click sorts." : "");
}

void TracesView::draw_head(const Canvas& canvas, const Plan& plan) {
  canvas.list->AddLine({canvas.min.x, canvas.max.y}, canvas.max, canvas.theme.line);
  head_cell(canvas, ListOrder::kName, plan.name_left, plan.name_right - canvas.px(10));
  for (const Place& place : plan.places)
    head_cell(canvas, place.column, place.left + canvas.px(6), place.right);
}

void TracesView::draw_cell(const Canvas& canvas, const Model& model, const Place& place, size_t row,
                           float y) const {
  const Theme& theme = canvas.theme;
  const CellLook look = column(place.column).look;
  const auto* trace = traces() ? &traces()->rows[row] : nullptr;
  std::string text;
  double share;
  ImU32 colour;
  if (trace) {
    text = trace_columns()[place.column].text(*trace, model);
    share = double(trace->end_ns - trace->start_ns) / double(longest_ns_);
    colour = trace->failed ? theme.red : full_hue(theme, model.settings);
  } else {
    const auto& of = classes()->rows[row];
    const ClassColumn& what = class_columns()[place.column];
    text = what.text(what.value(of));
    share = double(of.cardinality) / double(largest_);
    colour = with_alpha(theme.blue, 0.75f);
  }
  // A bar behind the number, so that the longest is found without reading.
  const float left = place.left + canvas.px(14), right = place.right - canvas.px(72);
  if (look == CellLook::kBar && right - left >= canvas.px(16))
    canvas.list->AddRectFilled(
        {left, y + canvas.px(8)},
        {left + std::max(1.0f, (right - left) * float(share)), y + canvas.px(kRowHeight - 8)},
        colour, canvas.px(2));
  if (look == CellLook::kCut)
    text = ellipsized(theme.mono, text, place.right - place.left - canvas.px(14));
  const bool strong = look == CellLook::kStrong || look == CellLook::kBar;
  draw_text_right(canvas.list, theme.mono,
                  {place.right, y + (canvas.px(kRowHeight) - theme.mono->FontSize) / 2},
                  strong ? theme.text : theme.dim, text);
}

void TracesView::draw_row(const Canvas& canvas, const Plan& plan, Model& model, size_t row,
                          float y) {
  const Theme& theme = canvas.theme;
  const ImVec2 min{canvas.min.x, y}, max{canvas.max.x, y + canvas.px(kRowHeight)};
  ImGui::SetCursorScreenPos(min);
  if (ImGui::InvisibleButton("row", {max.x - min.x, max.y - min.y})) choose(model, row);
  const bool hovered = ImGui::IsItemHovered();
  if (hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left))
    open(model, row, ViewId::kSequence);
  if (chosen_row_ == row) {
    canvas.list->AddRectFilled(min, max, with_alpha(theme.blue_fill, 0.22f));
    canvas.list->AddRectFilled(min, {min.x + canvas.px(3), max.y}, theme.blue);
  } else if (hovered) {
    canvas.list->AddRectFilled(min, max, with_alpha(theme.blue, 0.07f));
  }
  const uint32_t number =
      classes() ? classes()->rows[row].operation : traces()->rows[row].operation;
  const auto& operation = shown_->operations[number];
  const bool failed = traces() && traces()->rows[row].failed;
  const float middle = y + canvas.px(kRowHeight) / 2;
  float room = plan.name_right - plan.name_left - canvas.px(10);
  const char* mark = "did not return";
  if (failed) room -= text_size(theme.small, mark).x + canvas.px(8);
  const std::string component = model.name_of(operation.component);
  const std::string name = short_operation(operation.name);
  const float first = std::min(text_size(theme.bold, component).x, room * 0.6f);
  draw_text(canvas.list, theme.bold, {plan.name_left, middle - theme.bold->FontSize / 2},
            theme.strong, component, room * 0.6f);
  const float x = plan.name_left + first + canvas.px(8);
  const float rest = room - first - canvas.px(8);
  if (rest > canvas.px(16))
    draw_text(canvas.list, theme.body, {x, middle - theme.body->FontSize / 2}, theme.text, name,
              rest);
  if (failed)
    draw_text(canvas.list, theme.small,
              {plan.name_right - canvas.px(10) - text_size(theme.small, mark).x,
               middle - theme.small->FontSize / 2},
              theme.amber, mark);
  for (const Place& place : plan.places) draw_cell(canvas, model, place, row, y);
  if (hovered && ImGui::IsMouseHoveringRect(min, {plan.name_right, max.y}))
    tooltip(theme, text::clean(operation.component),
            text::clean(operation.name) + (failed ? "\nOne of its executions did not return." : ""),
            "Click marks it; Enter or a double click shows its sequence.");
}

}  // namespace compmond::ui
