// SPDX-License-Identifier: Apache-2.0
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <fmt/format.h>

#include <algorithm>

#include "text/clean.h"
#include "text/numbers.h"
#include "ui/kit/draw.h"
#include "ui/views/call_tree/call_tree.h"
#include "ui/views/shared/definitions.h"
#include "ui/views/shared/heat.h"
#include "ui/views/shared/operation_name.h"

namespace compmond::ui {
namespace {

constexpr float kRow = 22, kSide = 14, kPad = 5;  // design pixels
constexpr float kLeastText = 26;                  // narrower boxes say nothing
constexpr float kDimmed = 0.72f;                  // what a search does not find, towards the ground

}  // namespace

uint32_t CallTreeView::top() const {
  const auto* node = zooms_.empty() ? nullptr : tree_.find(zooms_.back());
  return node ? number(*node) : 0;
}

void CallTreeView::zoom_to(uint32_t node) {
  if (node == top()) {
    // Once more: back to where it was.
    if (!zooms_.empty()) zooms_.pop_back();
  } else if (node == 0) {
    zooms_.clear();
  } else {
    zooms_.push_back(tree_.nodes[node].key);
  }
  scroll_ = 0;
}

void CallTreeView::draw_box(const Canvas& canvas, const diagrams::FlameBox& box, float y,
                            const Model& model) {
  const Theme& theme = canvas.theme;
  const diagrams::CallTreeNode& node = tree_.nodes[box.node];
  const auto* operation = tree_.operation(box.node);
  const float left = canvas.min.x + canvas.px(kSide);
  const ImVec2 min{left + float(box.x0), y},
      max{left + float(box.x1) - (box.x1 - box.x0 > 4 ? 1 : 0), y + canvas.px(kRow) - 1};
  ImU32 fill = theme.bar;
  if (operation && hotness_.on(model)) {
    fill = heat(theme, model.settings, 100 * double(node.real_ns) / double(hottest_ns_));
  } else if (operation) {
    fill = component_colour(theme, model, operation->component);
  }
  const bool searching = !model.search.text.empty();
  if ((searching && !found(model, box.node)) || box.around)
    fill = mix(fill, theme.background, searching ? kDimmed : 0.45f);
  canvas.list->AddRectFilled(min, max, fill, box.x1 - box.x0 > 8 ? canvas.px(2) : 0);
  const bool selected = operation && model.selection.operation == operation->name &&
                        model.selection.component == operation->component;
  if (focus_ == node.key || selected)
    canvas.list->AddRect(min, max, theme.blue, canvas.px(2), 0,
                         canvas.px(focus_ == node.key ? 2 : 1));
  const float room = max.x - min.x - canvas.px(2 * kPad);
  if (room < canvas.px(kLeastText)) return;
  std::string text = operation ? text::clean(operation->name) : "$ outside";
  if (text_size(theme.small, text).x > room) text = short_operation(text);
  draw_text(canvas.list, theme.small,
            {min.x + canvas.px(kPad), y + (canvas.px(kRow) - theme.small->FontSize) / 2},
            text_on(theme, fill), text, room);
}

void CallTreeView::flame_mouse(const Canvas& canvas, float top_y, Model& model) {
  const Theme& theme = canvas.theme;
  ImGui::SetCursorScreenPos({canvas.min.x, top_y});
  const bool clicked = ImGui::InvisibleButton(
      "flame", {std::max(1.f, canvas.width()), std::max(1.f, canvas.max.y - top_y)});
  if (!ImGui::IsItemHovered()) return;
  const ImGuiIO& io = ImGui::GetIO();
  const float row = canvas.px(kRow);
  const float most = std::max(0.f, row * float(flame_.rows) - (canvas.max.y - top_y));
  if (io.MouseWheel != 0) scroll_ = std::clamp(scroll_ - io.MouseWheel * row * 3, 0.f, most);
  if (ImGui::IsMouseClicked(3) && !zooms_.empty()) zooms_.pop_back();  // "back" of the mouse
  const double x = io.MousePos.x - canvas.min.x - canvas.px(kSide);
  const int at = int((io.MousePos.y - top_y + scroll_) / row);
  for (const diagrams::FlameBox& box : flame_.boxes) {
    if (box.row != at || x < box.x0 || x > box.x1) continue;
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    node_tooltip(canvas, box.node);
    if (!clicked) return;
    select(box.node, model);
    zoom_to(box.node);
    return;
  }
  for (const diagrams::FlameFold& fold : flame_.folds)
    if (fold.row == at && x >= fold.x0 - 1 && x <= fold.x1 + 1)
      tooltip(
          theme, text::counted(fold.paths, "path") + " too narrow to draw",
          fmt::format("{} calls\nraw  {}, with all below  real  {}", text::count(fold.count),
                      text::duration(double(fold.raw_ns)), text::duration(double(fold.real_ns))),
          "A click on their caller makes them wider.");
}

void CallTreeView::draw_flame(const Canvas& canvas, float top_y, Model& model) {
  const float width = canvas.width() - canvas.px(2 * kSide), row = canvas.px(kRow);
  while (!zooms_.empty() && !tree_.find(zooms_.back())) zooms_.pop_back();  // not called any more
  const FlameFor now{revision_, tree_.nodes[top()].key, width_of(model), width};
  if (now != flame_for_) {
    flame_for_ = now;
    flame_ = diagrams::flame(tree_, top(), width_of(model), width);
  }
  flame_mouse(canvas, top_y, model);
  canvas.list->PushClipRect({canvas.min.x, top_y}, canvas.max, true);
  const auto y_of = [&](int at) { return top_y + row * float(at) - scroll_; };
  for (const diagrams::FlameBox& box : flame_.boxes)
    if (const float y = y_of(box.row); y + row > top_y && y < canvas.max.y)
      draw_box(canvas, box, y, model);
  for (const diagrams::FlameFold& fold : flame_.folds) {
    const float left = canvas.min.x + canvas.px(kSide), y = y_of(fold.row);
    canvas.list->AddRectFilled({left + float(fold.x0), y},
                               {left + std::max(float(fold.x1), float(fold.x0) + 1), y + row - 1},
                               canvas.theme.bar_line);
  }
  canvas.list->PopClipRect();
}

bool CallTreeView::flame_key(int glfw_key, Model& model) {
  if (glfw_key == GLFW_KEY_ESCAPE) {
    if (zooms_.empty()) return false;
    zooms_.pop_back();
    return true;
  }
  const auto* focused = focus_ ? tree_.find(focus_) : nullptr;
  const diagrams::CallTreeNode& from = focused ? *focused : tree_.nodes[top()];
  const auto by_time = [&](uint32_t a, uint32_t b) {
    return diagrams::flame_ns(tree_.nodes[a], width_of(model)) <
           diagrams::flame_ns(tree_.nodes[b], width_of(model));
  };
  const auto go = [&](uint32_t node) {
    select(node, model);
    return true;
  };
  switch (glfw_key) {
    case GLFW_KEY_UP:
      return go(from.parent < 0 ? 0 : uint32_t(from.parent));
    case GLFW_KEY_DOWN:
      if (from.children.empty()) return true;
      return go(*std::max_element(from.children.begin(), from.children.end(), by_time));
    case GLFW_KEY_N:
    case GLFW_KEY_B: {
      // The next box on its row, as it stands there.
      if (flame_for_.revision != revision_) return true;  // not drawn yet
      const diagrams::FlameBox* next = nullptr;
      const uint32_t here = number(from);
      const auto box = std::find_if(flame_.boxes.begin(), flame_.boxes.end(),
                                    [&](const auto& b) { return b.node == here; });
      if (box == flame_.boxes.end()) return true;
      const bool right = glfw_key == GLFW_KEY_N;
      for (const auto& other : flame_.boxes) {
        if (other.row != box->row || other.around || other.node == here) continue;
        if (right ? other.x0 < box->x1 - 1e-6 : other.x1 > box->x0 + 1e-6) continue;
        if (!next || (right ? other.x0 < next->x0 : other.x1 > next->x1)) next = &other;
      }
      return next ? go(next->node) : true;
    }
    case GLFW_KEY_ENTER:
    case GLFW_KEY_KP_ENTER:
      if (focused) zoom_to(number(*focused));
      return focused != nullptr;
    default:
      return false;
  }
}

}  // namespace compmond::ui
