// SPDX-License-Identifier: Apache-2.0
#include "ui/kit/table_head.h"

#include "ui/kit/draw.h"

namespace compmond::ui {
namespace {

// Its corners clockwise, as ImGui smooths the edges of.
void draw_arrow(const Canvas& canvas, ImVec2 middle, bool down) {
  const float r = canvas.px(3.5f), x = middle.x, y = middle.y;
  if (down)
    canvas.list->AddTriangleFilled({x - r, y - r / 2}, {x + r, y - r / 2}, {x, y + r},
                                   canvas.theme.blue);
  else
    canvas.list->AddTriangleFilled({x - r, y + r / 2}, {x, y - r}, {x + r, y + r / 2},
                                   canvas.theme.blue);
}

}  // namespace

HeadTouch draw_head_cell(const Canvas& canvas, const HeadCell& cell, Sorted sorted) {
  const Theme& theme = canvas.theme;
  HeadTouch out;
  ImGui::SetCursorScreenPos({cell.left, canvas.min.y});
  ImGui::PushID(cell.title);
  out.clicked =
      ImGui::InvisibleButton("sort", {std::max(1.f, cell.right - cell.left), canvas.height()}) &&
      cell.can_sort;
  ImGui::PopID();
  out.hovered = ImGui::IsItemHovered();
  const bool bright = sorted != Sorted::kNot || (out.hovered && cell.can_sort);
  const float y = canvas.min.y + (canvas.height() - theme.small->FontSize) / 2;
  const float width = text_size(theme.small, cell.title).x;
  const float x = cell.to_right ? cell.right - width : cell.left;
  draw_text(canvas.list, theme.small, {x, y}, bright ? theme.strong : theme.dim, cell.title);
  const float beside = cell.to_right ? x - canvas.px(9) : x + width + canvas.px(9);
  if (sorted != Sorted::kNot)
    draw_arrow(canvas, {beside, y + theme.small->FontSize / 2}, sorted == Sorted::kDescending);
  return out;
}

}  // namespace compmond::ui
