// SPDX-License-Identifier: Apache-2.0
#include "ui/views/shared/flame_pane.h"

#include <algorithm>

#include "ui/kit/draw.h"
#include "ui/views/shared/operation_name.h"

namespace compmond::ui {
namespace {

constexpr float kRow = 22, kSide = 14, kPad = 5;  // design pixels
constexpr float kLeastText = 26;                  // narrower boxes say nothing
constexpr double kRounded = 8, kApart = 4;        // pixels: wider ones have corners, gaps

}  // namespace

uint32_t FlamePane::top(const diagrams::CallTree& tree) const {
  const auto* node = zooms_.empty() ? nullptr : tree.find(zooms_.back());
  return node ? uint32_t(node - tree.nodes.data()) : 0;
}

void FlamePane::zoom_to(const diagrams::CallTree& tree, uint32_t node) {
  if (node == top(tree))
    back();
  else if (node == 0)
    zooms_.clear();
  else
    zooms_.push_back(tree.nodes[node].key);
  scroll_ = 0;
}

bool FlamePane::back() {
  if (zooms_.empty()) return false;
  zooms_.pop_back();
  return true;
}

void FlamePane::follow(const diagrams::CallTree& tree) {
  while (!zooms_.empty() && !tree.find(zooms_.back())) zooms_.pop_back();
}

float FlamePane::width_in(const Canvas& place) { return place.width() - place.px(2 * kSide); }

float FlamePane::row_top(const Canvas& place, int row, bool upwards) const {
  const float from_root = place.px(kRow) * float(row) - scroll_;
  return upwards ? place.max.y - place.px(kRow) - from_root : place.min.y + from_root;
}

FlamePane::Pointed FlamePane::mouse(const Canvas& place, const diagrams::Flame& flame,
                                    bool upwards) {
  const float row = place.px(kRow);
  const float most = std::max(0.f, row * float(flame.rows) - place.height());
  scroll_ = std::clamp(scroll_, 0.f, most);
  ImGui::SetCursorScreenPos(place.min);
  const bool clicked = ImGui::InvisibleButton(
      "flame", {std::max(1.f, place.width()), std::max(1.f, place.height())});
  if (!ImGui::IsItemHovered()) return {};
  const ImGuiIO& io = ImGui::GetIO();
  const float away = upwards ? row * 3 : -row * 3;  // from the root, by a notch of the wheel
  if (io.MouseWheel != 0) scroll_ = std::clamp(scroll_ + io.MouseWheel * away, 0.f, most);
  if (ImGui::IsMouseClicked(3)) back();  // "back" of the mouse
  const double x = io.MousePos.x - place.min.x - place.px(kSide);
  const auto on_row = [&](int at) {
    const float y = row_top(place, at, upwards);
    return io.MousePos.y >= y && io.MousePos.y < y + row;
  };
  for (const diagrams::FlameBox& box : flame.boxes)
    if (x >= box.x0 && x <= box.x1 && on_row(box.row)) {
      ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      return {&box, nullptr, clicked};
    }
  for (const diagrams::FlameFold& fold : flame.folds)
    if (x >= fold.x0 - 1 && x <= fold.x1 + 1 && on_row(fold.row)) return {nullptr, &fold, clicked};
  return {};
}

void FlamePane::draw(const Canvas& place, const diagrams::Flame& flame, bool upwards,
                     const DrawBox& draw_box) const {
  const float row = place.px(kRow), left = place.min.x + place.px(kSide);
  const auto shown = [&](float y) { return y + row > place.min.y && y < place.max.y; };
  place.list->PushClipRect(place.min, place.max, true);
  for (const diagrams::FlameBox& box : flame.boxes) {
    const float y = row_top(place, box.row, upwards);
    if (!shown(y)) continue;
    const double width = box.x1 - box.x0;
    draw_box(box, {left + float(box.x0), y},
             {left + float(box.x1) - (width > kApart ? 1 : 0), y + row - 1},
             width > kRounded ? place.px(2) : 0);
  }
  for (const diagrams::FlameFold& fold : flame.folds)
    if (const float y = row_top(place, fold.row, upwards); shown(y))
      place.list->AddRectFilled({left + float(fold.x0), y},
                                {left + std::max(float(fold.x1), float(fold.x0) + 1), y + row - 1},
                                place.theme.bar_line);
  place.list->PopClipRect();
}

void draw_flame_name(const Canvas& canvas, ImVec2 min, ImVec2 max, ImU32 fill,
                     const std::string& name) {
  const Theme& theme = canvas.theme;
  const float room = max.x - min.x - canvas.px(2 * kPad);
  if (room < canvas.px(kLeastText)) return;
  const bool fits = text_size(theme.small, name).x <= room;
  draw_text(canvas.list, theme.small,
            {min.x + canvas.px(kPad), min.y + (canvas.px(kRow) - theme.small->FontSize) / 2},
            text_on(theme, fill), fits ? name : short_operation(name), room);
}

}  // namespace compmond::ui
