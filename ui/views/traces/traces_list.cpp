// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "text/clean.h"
#include "text/match.h"
#include "text/numbers.h"
#include "ui/kit/draw.h"
#include "ui/model/trace_links.h"
#include "ui/views/shared/heat.h"
#include "ui/views/shared/operation_name.h"
#include "ui/views/traces/traces.h"

namespace compmond::ui {
namespace {

constexpr float kRow = 25, kLeastName = 230;  // design pixels

bool is(const char* key, std::string_view other) { return key == other; }

}  // namespace

std::vector<const TracesView::Column*> TracesView::columns() const {
  static const std::vector<Column> kTraces = {
      {"began", "start", 92, 90, "When its first execution began, since the run's start."},
      {"duration", "duration", 170, 100, "From its first execution's start to the last end."},
      {"executions", "executions", 84, 80, "All that it called, with itself."},
      {"depth", "depth", 56, 40, "How deeply its calls are nested, from 0."},
      {"class", "class", 58, 60, "Traces with the same control flow are of one class."},
      {"session", "", 120, 85, "As an argument of its first execution says."},
      {"thread", "", 92, 30, "The thread that it ran on, or how many it was joined from."},
      {"trace", "", 76, 20, "Its number, the same in Timing."}};
  static const std::vector<Column> kClasses = {
      {"class", "class", 58, 90, "It keeps its number throughout the run."},
      {"traces", "traces", 130, 100, "Traces of this window with this control flow."},
      {"executions", "executions", 84, 60, "In each of its traces."},
      {"depth", "depth", 56, 20, "How deeply its calls are nested, from 0."},
      {"min", "min", 78, 50, "Its shortest trace."},
      {"mean", "mean", 78, 80, "The mean duration of its traces."},
      {"max", "max", 78, 70, "Its longest trace."}};
  std::vector<const Column*> out;
  for (const Column& column : classes() ? kClasses : kTraces)
    if (sessions_ || !is(column.title, "session")) out.push_back(&column);
  return out;
}

TracesView::Plan TracesView::plan(const Canvas& canvas) const {
  Plan out;
  const float left = canvas.min.x + canvas.px(18), right = canvas.max.x - canvas.px(20);
  std::vector<const Column*> kept = columns();
  float used = canvas.px(kLeastName);
  for (const Column* column : kept) used += canvas.px(column->width);
  while (used > right - left && kept.size() > 2) {
    const auto lightest = std::ranges::min_element(kept, {}, &Column::weight);
    used -= canvas.px((*lightest)->width);
    kept.erase(lightest);
  }
  // Names take most of what is left, the other columns the rest.
  const float spare = std::max(0.0f, right - left - used);
  const float each = std::min(canvas.px(20), spare * 0.3f / float(kept.size()));
  out.name_left = left;
  out.name_right = left + canvas.px(kLeastName) + spare - each * float(kept.size());
  float x = out.name_right;
  for (const Column* column : kept) {
    const float end = x + canvas.px(column->width) + each;
    out.places.push_back({column, x, end});
    x = end;
  }
  return out;
}

bool TracesView::head_cell(const Canvas& canvas, const Column& column, float left, float right,
                           bool to_right) {
  const Theme& theme = canvas.theme;
  const Order& order = classes() ? classes_order_ : traces_order_;
  const bool can = !is(column.key, "");
  ImGui::SetCursorScreenPos({left, canvas.min.y});
  ImGui::PushID(column.title);
  const bool clicked = ImGui::InvisibleButton("sort", {right - left, canvas.height()}) && can;
  ImGui::PopID();
  const bool hovered = ImGui::IsItemHovered(), sorted = can && order.key == column.key;
  const float y = canvas.min.y + (canvas.height() - theme.small->FontSize) / 2;
  const float width = text_size(theme.small, column.title).x;
  const float x = to_right ? right - width : left;
  draw_text(canvas.list, theme.small, {x, y}, sorted || (hovered && can) ? theme.strong : theme.dim,
            column.title);
  if (sorted) {
    const float r = canvas.px(3.5f), ax = to_right ? x - canvas.px(9) : x + width + canvas.px(9),
                ay = y + theme.small->FontSize / 2;
    const float tip = order.ascending ? -r : r;
    canvas.list->AddTriangleFilled({ax - r, ay - tip / 2}, {ax + r, ay - tip / 2}, {ax, ay + tip},
                                   theme.blue);
  }
  if (hovered) tooltip(theme, column.title, column.about, can ? "Click sorts." : "");
  return clicked;
}

void TracesView::draw_head(const Canvas& canvas, const Plan& plan) {
  canvas.list->AddLine({canvas.min.x, canvas.max.y}, canvas.max, canvas.theme.line);
  Order& order = classes() ? classes_order_ : traces_order_;
  const auto sort_by = [&](const char* key, bool names) {
    order = {key, order.key == key ? !order.ascending : names};
    if (classes()) sort_classes();
  };
  static const Column kName{"first operation", "operation", 0, 0,
                            "The call from outside that everything else belongs to."};
  if (head_cell(canvas, kName, plan.name_left, plan.name_right - canvas.px(10), false))
    sort_by("operation", true);
  for (const Place& place : plan.places)
    if (head_cell(canvas, *place.column, place.left + canvas.px(6), place.right, true))
      sort_by(place.column->key, false);
}

void TracesView::draw_cell(const Canvas& canvas, const Model& model, const Place& place, size_t row,
                           float y) const {
  const Theme& theme = canvas.theme;
  const char* key = place.column->title;
  const float at = y + (canvas.px(kRow) - theme.mono->FontSize) / 2;
  const auto number = [&](const std::string& text, bool strong = false) {
    draw_text_right(canvas.list, theme.mono, {place.right, at}, strong ? theme.text : theme.dim,
                    text);
  };
  // A bar behind the number, so that the longest is found without reading.
  const auto bar = [&](double share, ImU32 colour) {
    const float left = place.left + canvas.px(14), right = place.right - canvas.px(72);
    if (right - left < canvas.px(16)) return;
    const float width = std::max(1.0f, (right - left) * float(share));
    canvas.list->AddRectFilled({left, y + canvas.px(8)}, {left + width, y + canvas.px(kRow - 8)},
                               colour, canvas.px(2));
  };
  const ImU32 hue = full_hue(theme, model.settings);
  if (classes()) {
    const auto& of = classes()->rows[row];
    if (is(key, "class")) number(text::count(of.number));
    if (is(key, "executions")) number(text::count(of.executions));
    if (is(key, "depth")) number(text::count(of.max_depth));
    if (is(key, "min")) number(text::duration(double(of.min_ns)));
    if (is(key, "mean")) number(text::duration(double(of.mean_ns)), true);
    if (is(key, "max")) number(text::duration(double(of.max_ns)));
    if (!is(key, "traces")) return;
    bar(double(of.cardinality) / double(largest_), with_alpha(theme.blue, 0.75f));
    return number(text::count(of.cardinality), true);
  }
  const auto& of = traces()->rows[row];
  if (is(key, "began")) number(text::moment(double(of.start_ns) - double(model.run.start_ns), 1e6));
  if (is(key, "executions")) number(text::count(of.executions), true);
  if (is(key, "depth")) number(text::count(of.max_depth));
  if (is(key, "class")) number(text::count(of.class_number));
  if (is(key, "session"))
    number(
        ellipsized(theme.mono, text::clean(of.session), place.right - place.left - canvas.px(14)));
  if (is(key, "thread"))
    number(of.threads > 1 ? fmt::format("{} threads", of.threads) : fmt::format("{}", of.tid));
  if (is(key, "trace")) number(fmt::format("{}", of.id));
  if (!is(key, "duration")) return;
  bar(double(of.end_ns - of.start_ns) / double(longest_ns_), of.failed ? theme.amber : hue);
  number(text::duration(double(of.end_ns - of.start_ns)), true);
}

void TracesView::draw_row(const Canvas& canvas, const Plan& plan, Model& model, size_t row,
                          float y) {
  const Theme& theme = canvas.theme;
  const ImVec2 min{canvas.min.x, y}, max{canvas.max.x, y + canvas.px(kRow)};
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
  const float middle = y + canvas.px(kRow) / 2;
  float room = plan.name_right - plan.name_left - canvas.px(10);
  const char* mark = "did not return";
  if (failed) room -= text_size(theme.small, mark).x + canvas.px(8);
  const std::string component = text::clean(text::leaf(operation.component));
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
