// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "text/clean.h"
#include "text/numbers.h"
#include "ui/kit/draw.h"
#include "ui/views/call_tree/call_tree.h"
#include "ui/views/shared/heat.h"
#include "ui/views/shared/operation_name.h"

namespace compmond::ui {
namespace {

constexpr float kIndent = 15;  // design pixels
constexpr int kDeepest = 24;   // deeper ones are not indented further: there is no room

float indent(const Canvas& canvas, const diagrams::CallTreeNode& node) {
  // In a narrow view a deep tree is indented less.
  const float step = std::min(canvas.px(kIndent), canvas.width() / 60);
  return step * float(std::min(node.depth, kDeepest));
}

}  // namespace

float CallTreeView::draw_arrow(const Canvas& canvas, const diagrams::TreeRow& row, float y) {
  const diagrams::CallTreeNode& node = tree_.nodes[row.node];
  const float left = canvas.min.x + canvas.px(kSide) + indent(canvas, node);
  if (!node.children.empty()) {
    ImGui::SetCursorScreenPos({left, y});
    if (ImGui::InvisibleButton("open", {canvas.px(18), canvas.px(kRow)}))
      toggle(row.node, row.open);
    const ImU32 colour = ImGui::IsItemHovered() ? canvas.theme.strong : canvas.theme.dim;
    const float x = left + canvas.px(8), middle = y + canvas.px(kRow) / 2, r = canvas.px(4);
    if (row.open)
      canvas.list->AddTriangleFilled({x - r, middle - r / 2}, {x + r, middle - r / 2},
                                     {x, middle + r * 0.8f}, colour);
    else
      canvas.list->AddTriangleFilled({x - r / 2, middle - r}, {x + r * 0.8f, middle},
                                     {x - r / 2, middle + r}, colour);
  }
  return left + canvas.px(20);
}

void CallTreeView::draw_row(const Canvas& canvas, const Columns& at, const diagrams::TreeRow& row,
                            float y, Model& model) {
  const Theme& theme = canvas.theme;
  const diagrams::CallTreeNode& node = tree_.nodes[row.node];
  const auto* operation = tree_.operation(row.node);
  const float x = draw_arrow(canvas, row, y);
  const ImVec2 min{canvas.min.x, y}, max{canvas.max.x, y + canvas.px(kRow)};
  ImGui::SetCursorScreenPos({x, y});
  if (ImGui::InvisibleButton("row", {std::max(1.f, max.x - x), canvas.px(kRow)}))
    select(row.node, model);
  const bool hovered = ImGui::IsItemHovered(), focused = focus_ != 0 && focus_ == node.key;
  if (hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) toggle(row.node, row.open);
  const bool selected = operation && model.selection.operation == operation->name &&
                        model.selection.component == operation->component;
  if (focused) {
    canvas.list->AddRectFilled(min, max, with_alpha(theme.blue_fill, 0.22f));
    canvas.list->AddRectFilled(min, {min.x + canvas.px(3), max.y}, theme.blue);
  } else if (hovered || selected) {
    canvas.list->AddRectFilled(min, max, with_alpha(theme.blue, selected ? 0.12f : 0.07f));
  }
  draw_path(canvas, {x, y}, at.name_right - x, row.node, model);
  draw_figures(canvas, at, y, row.node, model);
  draw_share(canvas, at, y, row.node, model);
  if (hovered) node_tooltip(canvas, row.node);
}

void CallTreeView::draw_path(const Canvas& canvas, ImVec2 at, float room, uint32_t node,
                             const Model& model) const {
  const Theme& theme = canvas.theme;
  const auto* operation = tree_.operation(node);
  const auto middle = [&](ImFont* font) { return at.y + (canvas.px(kRow) - font->FontSize) / 2; };
  if (operation) {
    const std::string component = model.name_of(operation->component),
                      name = text::clean(operation->name);
    const float wide = std::min(text_size(theme.bold, component).x, room * 0.5f);
    const ImU32 ink = model.found(operation->component) || model.found(operation->name)
                          ? theme.strong
                          : theme.dim;
    draw_text(canvas.list, theme.bold, {at.x, middle(theme.bold)}, ink, component, wide);
    const float rest = room - wide - canvas.px(8);
    const bool fits = text_size(theme.mono_small, name).x <= rest;
    if (rest > canvas.px(12))
      draw_text(canvas.list, theme.mono_small,
                {at.x + wide + canvas.px(8), middle(theme.mono_small)}, theme.dim,
                fits ? name : short_operation(name), rest);
  } else {
    draw_text(canvas.list, theme.bold, {at.x, middle(theme.bold)}, theme.strong, "$  outside",
              room);
  }
}

void CallTreeView::draw_figures(const Canvas& canvas, const Columns& at, float y, uint32_t node,
                                const Model& model) const {
  const Theme& theme = canvas.theme;
  const diagrams::CallTreeNode& of = tree_.nodes[node];
  const float top = y + (canvas.px(kRow) - theme.mono->FontSize) / 2;
  const auto figure = [&](float right, const std::string& text, bool strong) {
    draw_text_right(canvas.list, theme.mono, {right, top}, strong ? theme.text : theme.dim, text);
  };
  const bool by_real = width_of(model) == diagrams::FlameWidth::kReal;
  figure(at.count, (node > 0 ? answer_.mark() : "") + text::count(of.count), false);
  figure(at.raw, text::duration(double(of.raw_ns)), !by_real);
  figure(at.real, node > 0 ? text::duration(double(of.real_ns)) : "–", by_real);
}

// The raw time, and in it the part that is its own.
void CallTreeView::draw_share(const Canvas& canvas, const Columns& at, float y, uint32_t node,
                              const Model& model) const {
  const diagrams::CallTreeNode& of = tree_.nodes[node];
  const double all = double(tree_.nodes[0].raw_ns);
  if (all <= 0) return;
  const float thick = canvas.px(9), top = y + (canvas.px(kRow) - thick) / 2;
  const auto bar = [&](uint64_t ns, ImU32 colour) {
    const float width = (at.bar_right - at.bar_left) * float(std::min(1.0, double(ns) / all));
    canvas.list->AddRectFilled({at.bar_left, top},
                               {at.bar_left + std::max(1.f, width), top + thick}, colour,
                               canvas.px(2));
  };
  bar(of.raw_ns, canvas.theme.bar_line);
  if (of.real_ns > 0) bar(of.real_ns, full_hue(canvas.theme, model.settings));
}

}  // namespace compmond::ui
