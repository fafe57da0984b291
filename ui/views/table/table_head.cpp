// SPDX-License-Identifier: Apache-2.0
#include "snapshot/heat_text.h"
#include "ui/kit/draw.h"
#include "ui/views/shared/definitions.h"
#include "ui/views/table/table.h"
#include "ui/views/table/table_columns.h"

namespace compmond::ui {

void TableView::head_cell(const Canvas& canvas, const snapshot::Snapshot& snapshot, size_t column,
                          const HeadCell& cell) {
  const Sorted sorted = order_.column != column ? Sorted::kNot
                        : order_.descending     ? Sorted::kDescending
                                                : Sorted::kAscending;
  const HeadTouch touch = draw_head_cell(canvas, cell, sorted);
  if (touch.clicked)
    order_ = {column, order_.column == column ? !order_.descending : column != TableOrder::kName};
  if (touch.hovered && column < table_columns().size()) {
    const Definition& def = definition(table_columns()[column].term);
    std::string text(def.text);
    if (table_columns()[column].term == Term::kHotness)
      for (const std::string& more : {heat_text(snapshot), floor_text(snapshot)})
        if (!more.empty()) text += "\n" + more;
    tooltip(canvas.theme, def.title, text, "Click sorts.");
  }
}

void TableView::draw_head(const Canvas& canvas, const Plan& plan,
                          const snapshot::Snapshot& snapshot) {
  const Theme& theme = canvas.theme;
  canvas.list->AddLine({canvas.min.x, canvas.max.y}, canvas.max, theme.line);
  head_cell(canvas, snapshot, TableOrder::kName,
            {"component", canvas.min.x + canvas.px(34), plan.name_right - canvas.px(8), false});
  if (plan.spark_right > plan.spark_left)
    draw_text(canvas.list, theme.small,
              {plan.spark_left, canvas.min.y + (canvas.height() - theme.small->FontSize) / 2},
              theme.dim, "activity");
  ImGui::PushClipRect({plan.left, canvas.min.y}, {plan.right, canvas.max.y}, true);
  for (const Column& column : plan.columns) {
    if (!plan.shows(column)) continue;
    const TableColumn& what = table_columns()[column.index];
    head_cell(
        canvas, snapshot, column.index,
        {what.title, column.right - column.width + canvas.px(8), column.right - column.spread});
  }
  ImGui::PopClipRect();
}

}  // namespace compmond::ui
