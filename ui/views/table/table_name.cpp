// SPDX-License-Identifier: Apache-2.0
// The column of names.
#include <fmt/format.h>

#include <algorithm>

#include "text/clean.h"
#include "ui/kit/draw.h"
#include "ui/model/switching.h"
#include "ui/views/shared/definitions.h"
#include "ui/views/shared/estimated.h"
#include "ui/views/shared/operation_name.h"
#include "ui/views/table/table.h"

namespace compmond::ui {
namespace {

constexpr const char* kOff = "switched off";

bool points_at(const Canvas& canvas, float x, float y, float right) {
  return ImGui::IsWindowHovered() &&
         ImGui::IsMouseHoveringRect({x, y}, {right, y + canvas.px(kTableRow)});
}

void draw_operation(const Canvas& canvas, const Model& model, const snapshot::Operation& operation,
                    float x, float y, float right) {
  const Theme& theme = canvas.theme;
  const bool refused = operation.exit_mode == snapshot::ExitMode::kRefused;
  const std::string name = text::clean(operation.name);
  const float top = y + (canvas.px(kTableRow) - theme.mono_small->FontSize) / 2;
  const std::string off = off_text(model, operation);
  const float gap = canvas.px(8), mark = off.empty() ? 0 : text_size(theme.small, kOff).x + gap;
  const float room = right - x - mark;
  const bool cut = draw_text(canvas.list, theme.mono_small, {x, top},
                             refused ? theme.amber : theme.dim, name, room);
  if (!off.empty())
    draw_text(canvas.list, theme.small,
              {x + std::min(room, text_size(theme.mono_small, name).x) + gap,
               y + (canvas.px(kTableRow) - theme.small->FontSize) / 2},
              theme.dim, kOff);
  if (!points_at(canvas, x, y, right)) return;
  const std::string how = fmt::format("{} · {}", operation.interface.text(), exit_words(operation));
  tooltip(theme, cut ? name : "",
          how + "\n" + text::clean(operation.symbol) + (off.empty() ? "" : "\n" + off),
          definition(Term::kExitMode).text);
}

void draw_arrow(const Canvas& canvas, float middle, bool open, ImU32 colour) {
  const float x = canvas.min.x + canvas.px(21), r = canvas.px(4);
  if (open)
    canvas.list->AddTriangleFilled({x - r, middle - r / 2}, {x + r, middle - r / 2},
                                   {x, middle + r * 0.8f}, colour);
  else
    canvas.list->AddTriangleFilled({x - r / 2, middle - r}, {x + r * 0.8f, middle},
                                   {x - r / 2, middle + r}, colour);
}

}  // namespace

float TableView::name_width(const Canvas& canvas, const Model& model, const TableRow& row) const {
  const Theme& theme = canvas.theme;
  const auto& component = model.snapshot->components[row.component];
  if (row.operation != TableRow::kWhole)
    return text_size(theme.mono_small, component.operations[row.operation].name).x +
           (is_off(component.operations[row.operation]) ? text_size(theme.small, kOff).x : 0) +
           canvas.px(26);
  float width = canvas.px(12) * float(row.depth) + canvas.px(10) +
                text_size(theme.bold, shown_name(component, row.depth)).x;
  for (const std::string& mark :
       {std::string(whose_mark(row, component)), status_mark(*model.snapshot, component).text})
    if (!mark.empty()) width += text_size(theme.small, mark).x + canvas.px(8);
  return width;
}

void TableView::draw_name(const Canvas& canvas, const Plan& plan, Model& model, const TableRow& row,
                          float y) {
  const Theme& theme = canvas.theme;
  const auto& component = model.snapshot->components[row.component];
  const float left = canvas.min.x + canvas.px(34), middle = y + canvas.px(kTableRow) / 2;
  if (row.operation != TableRow::kWhole)
    return draw_operation(canvas, model, component.operations[row.operation], left + canvas.px(16),
                          y, plan.name_right);
  if (!component.operations.empty()) {
    const bool open = expanded_.contains(component.name);
    ImGui::SetCursorScreenPos({canvas.min.x + canvas.px(10), y});
    if (ImGui::InvisibleButton("expand", {canvas.px(20), canvas.px(kTableRow)})) {
      if (!expanded_.erase(component.name)) expanded_.insert(component.name);
    }
    draw_arrow(canvas, middle, open, ImGui::IsItemHovered() ? theme.strong : theme.dim);
  }
  const float x = left + canvas.px(12) * std::min(float(row.depth), 4.f), gap = canvas.px(8);
  const std::string name = text::clean(shown_name(component, row.depth));
  const float room_for_name = plan.name_right - x - gap;
  auto [mark, calm] = status_mark(*model.snapshot, component);
  if (mark == kOff &&
      text_size(theme.bold, name).x + gap + text_size(theme.small, mark).x > room_for_name)
    mark = "off";  // rather than cut the name
  const std::pair<std::string, ImU32> marks[] = {{whose_mark(row, component), theme.dim},
                                                 {mark, calm ? theme.dim : theme.amber}};
  float room = room_for_name;
  for (const auto& [text, colour] : marks)
    if (!text.empty()) room -= text_size(theme.small, text).x + gap;
  const bool cut =
      draw_text(canvas.list, theme.bold, {x, middle - theme.bold->FontSize / 2},
                is_off(*model.snapshot, component) ? theme.dim : theme.strong, name, room);
  float at = x + std::min(room, text_size(theme.bold, name).x);
  for (const auto& [text, colour] : marks) {
    if (text.empty()) continue;
    draw_text(canvas.list, theme.small, {at + gap, middle - theme.small->FontSize / 2}, colour,
              text);
    at += gap + text_size(theme.small, text).x;
  }
  if (!(cut || !mark.empty() || row.depth > 0 || row.contains) ||
      !points_at(canvas, x, y, plan.name_right))
    return;
  const std::string off = off_text(model, component);
  std::string what = off.empty() ? off_in_part_text(*model.snapshot, component) : off;
  if (what.empty()) what = mark;
  if (row.contains)
    what += (mark.empty() ? "" : "\n") + whose_text(component, model.snapshot->health.samples);
  tooltip(theme, text::clean(component.name), what,
          mark.empty() ? "" : definition(Term::kStatus).text);
}

}  // namespace compmond::ui
