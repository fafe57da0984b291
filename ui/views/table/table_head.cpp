// SPDX-License-Identifier: Apache-2.0
#include "ui/kit/draw.h"
#include "ui/views/shared/definitions.h"
#include "ui/views/table/table.h"
#include "ui/views/table/table_columns.h"

namespace compmond::ui {

void TableView::head_cell(const Canvas& canvas, size_t column, const char* title, float left,
                          float right, bool to_right) {
  const Theme& theme = canvas.theme;
  ImGui::SetCursorScreenPos({left, canvas.min.y});
  ImGui::PushID(int(column));
  if (ImGui::InvisibleButton("sort", {right - left, canvas.px(kTableHead)})) {
    if (order_.column == column)
      order_.descending = !order_.descending;
    else
      order_ = {column, column != TableOrder::kName};
  }
  ImGui::PopID();
  const bool hovered = ImGui::IsItemHovered(), sorted = order_.column == column;
  const float y = canvas.min.y + (canvas.px(kTableHead) - theme.small->FontSize) / 2;
  const float width = text_size(theme.small, title).x;
  const float x = to_right ? right - width : left;
  draw_text(canvas.list, theme.small, {x, y}, sorted || hovered ? theme.strong : theme.dim, title);
  if (sorted) {
    const float r = canvas.px(3.5f), ax = to_right ? x - canvas.px(9) : x + width + canvas.px(9),
                ay = y + theme.small->FontSize / 2;
    if (order_.descending)
      canvas.list->AddTriangleFilled({ax - r, ay - r / 2}, {ax + r, ay - r / 2}, {ax, ay + r},
                                     theme.blue);
    else
      canvas.list->AddTriangleFilled({ax - r, ay + r / 2}, {ax, ay - r}, {ax + r, ay + r / 2},
                                     theme.blue);
  }
  if (hovered && column < table_columns().size()) {
    const Definition& def = definition(table_columns()[column].term);
    tooltip(theme, def.title, def.text, "Click sorts.");
  }
}

void TableView::draw_head(const Canvas& canvas, const Plan& plan) {
  const Theme& theme = canvas.theme;
  const float bottom = canvas.min.y + canvas.px(kTableHead);
  canvas.list->AddLine({canvas.min.x, bottom}, {canvas.max.x, bottom}, theme.line);
  head_cell(canvas, TableOrder::kName, "component", canvas.min.x + canvas.px(34),
            plan.name_right - canvas.px(8), false);
  if (plan.spark_right > plan.spark_left)
    draw_text(canvas.list, theme.small,
              {plan.spark_left, canvas.min.y + (canvas.px(kTableHead) - theme.small->FontSize) / 2},
              theme.dim, "activity");
  for (const Column& column : plan.columns) {
    const TableColumn& what = table_columns()[column.index];
    head_cell(canvas, column.index, what.title, column.right - canvas.px(what.width) + canvas.px(8),
              column.right, true);
  }
}

}  // namespace compmond::ui
