// SPDX-License-Identifier: Apache-2.0
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <fmt/format.h>

#include <algorithm>

#include "text/clean.h"
#include "text/match.h"
#include "text/numbers.h"
#include "ui/kit/draw.h"
#include "ui/views/call_tree/call_tree.h"
#include "ui/views/shared/definitions.h"
#include "ui/views/shared/heat.h"
#include "ui/views/shared/operation_name.h"

namespace compmond::ui {
namespace {

constexpr float kRow = 23, kHead = 26, kIndent = 15, kFigure = 84;  // design pixels
constexpr int kDeepest = 24;  // deeper ones are not indented further: there is no room
constexpr float kSide = 14;

float indent(const Canvas& canvas, const diagrams::CallTreeNode& node) {
  // In a narrow view a deep tree is indented less.
  const float step = std::min(canvas.px(kIndent), canvas.width() / 60);
  return step * float(std::min(node.depth, kDeepest));
}

}  // namespace

void CallTreeView::make_rows(const Model& model) {
  const RowsFor now{revision_, order_, opening_, model.search.text};
  if (now == rows_for_) return;
  rows_for_ = now;
  if (model.search.text.empty()) {
    rows_ = diagrams::tree_rows(tree_, order_, opening_, nullptr);
    return;
  }
  std::vector<char> hits(tree_.nodes.size());
  for (uint32_t node = 0; node < hits.size(); ++node) hits[node] = found(model, node);
  rows_ = diagrams::tree_rows(tree_, order_, opening_, &hits);
}

CallTreeView::Columns CallTreeView::columns(const Canvas& canvas) const {
  Columns at;
  const float right = canvas.max.x - canvas.px(kSide + 8), figure = canvas.px(kFigure);
  const float bar = std::clamp(canvas.width() * 0.14f, canvas.px(40), canvas.px(220));
  at.bar_right = right;
  at.bar_left = right - bar;
  at.real = at.bar_left - canvas.px(14);
  at.raw = at.real - figure;
  at.count = at.raw - figure;
  at.name_right = at.count - figure;
  return at;
}

void CallTreeView::head(const Canvas& canvas, diagrams::TreeColumn column, const HeadCell& cell) {
  const bool name = column == diagrams::TreeColumn::kName, sorted = order_.column == column;
  const HeadTouch touch = draw_head_cell(canvas, cell,
                                         !sorted             ? Sorted::kNot
                                         : order_.descending ? Sorted::kDescending
                                                             : Sorted::kAscending);
  if (touch.clicked) order_ = {column, sorted ? !order_.descending : !name};
  if (!touch.hovered) return;
  const Term term = column == diagrams::TreeColumn::kCount ? Term::kPathCount
                    : column == diagrams::TreeColumn::kRaw ? Term::kPathRaw
                                                           : Term::kPathReal;
  tooltip(canvas.theme, name ? "" : definition(term).title, name ? "" : definition(term).text,
          "Click sorts siblings.");
}

void CallTreeView::draw_heads(const Canvas& canvas, const Columns& at, float top) {
  using diagrams::TreeColumn;
  const Canvas line{
      canvas.list, {canvas.min.x, top}, {canvas.max.x, top + canvas.px(kHead)}, canvas.theme};
  const float room = canvas.px(10);
  canvas.list->AddLine({line.min.x, line.max.y}, line.max, canvas.theme.line);
  head(line, TreeColumn::kName,
       {"call path", canvas.min.x + canvas.px(34), at.name_right - room, false});
  head(line, TreeColumn::kCount, {"calls", at.name_right + room, at.count});
  head(line, TreeColumn::kRaw, {"raw", at.count + room, at.raw});
  head(line, TreeColumn::kReal, {"real", at.raw + room, at.real});
  draw_text(canvas.list, canvas.theme.small,
            {at.bar_left, top + (line.height() - canvas.theme.small->FontSize) / 2},
            canvas.theme.dim, "share of raw", at.bar_right - at.bar_left);
}

void CallTreeView::toggle(uint32_t node, bool open) {
  opening_.by_hand[tree_.nodes[node].key] = !open;
}

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
  const auto middle = [&](ImFont* font) { return y + (canvas.px(kRow) - font->FontSize) / 2; };
  const float room = at.name_right - x;
  if (operation) {
    const std::string component = text::clean(text::leaf(operation->component)),
                      name = text::clean(operation->name);
    const float wide = std::min(text_size(theme.bold, component).x, room * 0.5f);
    const ImU32 ink = model.found(operation->component) || model.found(operation->name)
                          ? theme.strong
                          : theme.dim;
    draw_text(canvas.list, theme.bold, {x, middle(theme.bold)}, ink, component, wide);
    const float rest = room - wide - canvas.px(8);
    const bool fits = text_size(theme.mono_small, name).x <= rest;
    if (rest > canvas.px(12))
      draw_text(canvas.list, theme.mono_small, {x + wide + canvas.px(8), middle(theme.mono_small)},
                theme.dim, fits ? name : short_operation(name), rest);
  } else {
    draw_text(canvas.list, theme.bold, {x, middle(theme.bold)}, theme.strong, "$  outside", room);
  }
  const auto figure = [&](float right, const std::string& text, bool strong) {
    draw_text_right(canvas.list, theme.mono, {right, middle(theme.mono)},
                    strong ? theme.text : theme.dim, text);
  };
  const bool by_real = width_of(model) == diagrams::FlameWidth::kReal;
  figure(at.count, text::count(node.count), false);
  figure(at.raw, text::duration(double(node.raw_ns)), !by_real);
  figure(at.real, operation ? text::duration(double(node.real_ns)) : "–", by_real);
  const double all = double(tree_.nodes[0].raw_ns);
  const float bar = at.bar_right - at.bar_left, thick = canvas.px(9);
  const float bar_y = y + (canvas.px(kRow) - thick) / 2;
  if (all > 0) {
    // The raw time, and in it the part that is its own.
    const auto part = [&](uint64_t ns) { return bar * float(std::min(1.0, double(ns) / all)); };
    canvas.list->AddRectFilled({at.bar_left, bar_y},
                               {at.bar_left + std::max(1.f, part(node.raw_ns)), bar_y + thick},
                               theme.bar_line, canvas.px(2));
    if (node.real_ns > 0)
      canvas.list->AddRectFilled({at.bar_left, bar_y},
                                 {at.bar_left + std::max(1.f, part(node.real_ns)), bar_y + thick},
                                 full_hue(theme, model.settings), canvas.px(2));
  }
  if (hovered) node_tooltip(canvas, row.node);
}

void CallTreeView::draw_rows(const Canvas& canvas, float top, Model& model) {
  make_rows(model);
  const Columns at = columns(canvas);
  draw_heads(canvas, at, top);
  const float first = top + canvas.px(kHead) + 1;
  ImGui::SetCursorScreenPos({canvas.min.x, first});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  ImGui::BeginChild("rows", {canvas.width(), std::max(1.f, canvas.max.y - first)});
  const Canvas body{ImGui::GetWindowDrawList(), {canvas.min.x, first}, canvas.max, canvas.theme};
  page_ = body.height();
  const float row = canvas.px(kRow);
  if (show_focus_) {
    show_focus_ = false;
    const auto focused = std::find_if(rows_.begin(), rows_.end(), [&](const auto& r) {
      return tree_.nodes[r.node].key == focus_;
    });
    const float y = row * float(focused - rows_.begin());
    if (focused != rows_.end() && y < ImGui::GetScrollY()) ImGui::SetScrollY(y);
    if (focused != rows_.end() && y + row > ImGui::GetScrollY() + page_)
      ImGui::SetScrollY(y + row - page_);
  }
  ImGuiListClipper clipper;
  clipper.Begin(int(rows_.size()), row);
  while (clipper.Step())
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      ImGui::PushID(i);
      const float y = ImGui::GetCursorScreenPos().y;
      draw_row(body, at, rows_[size_t(i)], y, model);
      ImGui::SetCursorScreenPos({canvas.min.x, y});
      ImGui::Dummy({1, row});
      ImGui::PopID();
    }
  if (rows_.size() <= 1 && !model.search.text.empty())
    draw_empty(body.list, canvas.theme, body.min, body.max, "Nothing is called that.",
               "Esc ends the search.");
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

bool CallTreeView::row_key(int glfw_key, Model& model) {
  make_rows(model);  // an answer may have come since they were drawn
  const auto focused = std::find_if(rows_.begin(), rows_.end(), [&](const auto& row) {
    return tree_.nodes[row.node].key == focus_;
  });
  const auto count = ptrdiff_t(rows_.size()), at = focused - rows_.begin();
  const bool none = focused == rows_.end();
  const auto go = [&](ptrdiff_t to) {
    select(rows_[size_t(std::clamp<ptrdiff_t>(to, 0, count - 1))].node, model);
    show_focus_ = true;
    return true;
  };
  const auto page = std::max<ptrdiff_t>(1, ptrdiff_t(page_ / kRow) - 1);
  if (count == 0) return false;
  switch (glfw_key) {
    case GLFW_KEY_DOWN:
      return go(none ? 0 : at + 1);
    case GLFW_KEY_UP:
      return go(none ? 0 : at - 1);
    case GLFW_KEY_PAGE_DOWN:
      return go(none ? 0 : at + page);
    case GLFW_KEY_PAGE_UP:
      return go(none ? 0 : at - page);
    case GLFW_KEY_HOME:
      return go(0);
    case GLFW_KEY_END:
      return go(count - 1);
    case GLFW_KEY_ENTER:
    case GLFW_KEY_KP_ENTER:
      if (!none) toggle(focused->node, focused->open);
      return !none;
    case GLFW_KEY_E: {
      // All levels, or the first ones again.
      const auto all = diagrams::TreeOpening::all();
      opening_ = opening_ == all ? diagrams::TreeOpening{} : all;
      return true;
    }
    default:
      return false;
  }
}

}  // namespace compmond::ui
