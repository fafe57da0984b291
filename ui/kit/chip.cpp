// SPDX-License-Identifier: Apache-2.0
#include "ui/kit/chip.h"

#include <imgui_internal.h>

#include "ui/kit/draw.h"

namespace compmond::ui {

bool open_chip(const Theme& theme, const Chip& chip) {
  const auto [min, max] = std::pair(chip.min, chip.max);
  ImGui::SetCursorScreenPos(min);
  if (ImGui::InvisibleButton(chip.id, {max.x - min.x, max.y - min.y}) || chip.asked)
    ImGui::OpenPopup(chip.id);
  const bool hovered = ImGui::IsItemHovered();
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(min, max, hovered ? mix(theme.raised, theme.blue, 0.18f) : theme.raised,
                      theme.px(5));
  list->AddRect(min, max, chip.marked ? theme.blue : theme.line, theme.px(5), 0,
                theme.px(chip.marked ? 1.5f : 1));
  const float x = max.x - theme.px(12), y = (min.y + max.y) / 2, r = theme.px(3.5f);
  list->AddTriangleFilled({x - r, y - r * 0.6f}, {x + r, y - r * 0.6f}, {x, y + r * 0.8f},
                          theme.dim);
  if (hovered && !ImGui::IsPopupOpen(chip.id)) tooltip(theme, chip.title, chip.meaning);
  const float below = max.y + theme.px(4);
  if (chip.right_aligned)
    ImGui::SetNextWindowPos({max.x, below}, ImGuiCond_Always, {1, 0});
  else
    ImGui::SetNextWindowPos({min.x, below});
  return begin_list(chip.id);
}

bool begin_list(const char* id) {
  if (!ImGui::BeginPopup(id)) return false;
  if (ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Escape), false)) ImGui::CloseCurrentPopup();
  return true;
}

bool list_is_open() { return !ImGui::GetCurrentContext()->OpenPopupStack.empty(); }

void close_lists() {
  if (list_is_open()) ImGui::ClosePopupToLevel(0, true);
}

}  // namespace compmond::ui
