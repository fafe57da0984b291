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

namespace compmond::ui {
namespace {

constexpr float kDimmed = 0.72f;  // what a search does not find, towards the ground

}  // namespace

void CallTreeView::draw_box(const Canvas& canvas, const diagrams::FlameBox& box, ImVec2 min,
                            ImVec2 max, float rounding, const Model& model) {
  const Theme& theme = canvas.theme;
  const diagrams::CallTreeNode& node = tree_.nodes[box.node];
  const auto* operation = tree_.operation(box.node);
  ImU32 fill = theme.bar;
  if (operation && hotness_.on(model)) {
    fill = heat(theme, model.settings, 100 * double(node.real_ns) / double(hottest_ns_));
  } else if (operation) {
    fill = component_colour(theme, model, operation->component);
  }
  const bool searching = !model.search.text.empty();
  if ((searching && !found(model, box.node)) || box.around)
    fill = mix(fill, theme.background, searching ? kDimmed : 0.45f);
  canvas.list->AddRectFilled(min, max, fill, rounding);
  const bool selected = operation && model.selection.operation == operation->name &&
                        model.selection.component == operation->component;
  if (focus_ == node.key || selected)
    canvas.list->AddRect(min, max, theme.blue, canvas.px(2), 0,
                         canvas.px(focus_ == node.key ? 2 : 1));
  draw_flame_name(canvas, min, max, fill, operation ? text::clean(operation->name) : "$ outside");
}

void CallTreeView::flame_mouse(const Canvas& place, Model& model) {
  const FlamePane::Pointed on = pane_.mouse(place, flame_, false);
  if (on.box) {
    node_tooltip(place, on.box->node);
    if (!on.clicked) return;
    select(on.box->node, model);
    pane_.zoom_to(tree_, on.box->node);
  } else if (on.fold) {
    tooltip(place.theme, text::counted(on.fold->paths, "path") + " too narrow to draw",
            fmt::format("{}{} calls\nraw  {}, with all below  real  {}", answer_.mark(),
                        text::count(on.fold->count), text::duration(double(on.fold->raw_ns)),
                        text::duration(double(on.fold->real_ns))),
            "A click on their caller makes them wider.");
  }
}

void CallTreeView::draw_flame(const Canvas& place, Model& model) {
  pane_.follow(tree_);
  const FlameFor now{revision_, pane_.top_key(), width_of(model), FlamePane::width_in(place)};
  if (now != flame_for_) {
    flame_for_ = now;
    flame_ = diagrams::flame(tree_, pane_.top(tree_), now.what, now.width);
  }
  flame_mouse(place, model);
  pane_.draw(place, flame_, false, [&](const auto& box, ImVec2 min, ImVec2 max, float rounding) {
    draw_box(place, box, min, max, rounding, model);
  });
}

bool CallTreeView::flame_key(int glfw_key, Model& model) {
  if (glfw_key == GLFW_KEY_ESCAPE) return pane_.back();
  const auto* focused = focus_ ? tree_.find(focus_) : nullptr;
  const diagrams::CallTreeNode& from = focused ? *focused : tree_.nodes[pane_.top(tree_)];
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
      if (focused) pane_.zoom_to(tree_, number(*focused));
      return focused != nullptr;
    default:
      return false;
  }
}

}  // namespace compmond::ui
