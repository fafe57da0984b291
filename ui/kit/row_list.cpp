// SPDX-License-Identifier: Apache-2.0
#include "ui/kit/row_list.h"

#include <imgui.h>

#include <algorithm>

namespace compmond::ui {
namespace {

ImDrawList* begin_part(const char* id, const Canvas& canvas, float top, float bottom) {
  ImGui::SetCursorScreenPos({canvas.min.x, top});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  ImGui::BeginChild(id, {canvas.width(), std::max(1.f, bottom - top)});
  return ImGui::GetWindowDrawList();
}

}  // namespace

RowList::RowList(const char* id, const Canvas& canvas, float top, float bottom, float row_height)
    : row_height_(row_height),
      body_{begin_part(id, canvas, top, bottom),
            {canvas.min.x, top},
            {canvas.max.x, bottom},
            canvas.theme} {}

RowList::~RowList() {
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

void RowList::reveal(size_t row) const {
  const float y = row_height_ * float(row), high = std::max(0.f, body_.height() - row_height_);
  ImGui::SetScrollY(std::clamp(ImGui::GetScrollY(), std::max(0.f, y - high), y));
}

void RowList::rows(size_t count, const std::function<void(size_t row, float y)>& draw) const {
  ImGuiListClipper clipper;
  clipper.Begin(int(count), row_height_);
  while (clipper.Step())
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      ImGui::PushID(i);
      const float y = ImGui::GetCursorScreenPos().y;
      draw(size_t(i), y);
      ImGui::SetCursorScreenPos({body_.min.x, y});
      ImGui::Dummy({1, row_height_});
      ImGui::PopID();
    }
}

}  // namespace compmond::ui
