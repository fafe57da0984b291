// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "text/numbers.h"
#include "ui/kit/draw.h"
#include "ui/views/dependencies/dependencies.h"
#include "ui/views/shared/heat.h"

namespace compmond::ui {
namespace {

constexpr float kCellHeight = 24, kLeastCell = 30, kWidestCell = 72;  // design pixels
constexpr float kSide = 14, kPad = 8;
constexpr float kNotch = 60;  // a notch of the wheel scrolls

diagrams::MatrixWish wish_of(const Canvas& canvas, float top,
                             const std::vector<std::string>& names) {
  float longest = 0;
  for (const std::string& name : names)
    longest = std::max(longest, text_size(canvas.theme.body, name).x);
  diagrams::MatrixWish wish;
  wish.rows = names.size();
  wish.columns = names.size();
  const double side = canvas.px(kSide);
  wish.area = {canvas.min.x + side, double(top), canvas.max.x - side, canvas.max.y - side / 2};
  wish.names = std::min(longest + canvas.px(2 * kPad), canvas.width() * 0.3f);
  wish.heads = std::min(longest + canvas.px(2 * kPad), (canvas.max.y - top) * 0.35f);
  wish.least = canvas.px(kLeastCell);
  wish.widest = canvas.px(kWidestCell);
  wish.height = canvas.px(kCellHeight);
  return wish;
}

}  // namespace

Responses DependenciesView::calls(size_t from, size_t to) const {
  if (from == to) return data_.nodes[to].itself;
  const int edge = data_.graph.find_edge(int(from), int(to));
  Responses responses;
  if (edge >= 0) responses.add(data_.edges[size_t(edge)]);
  return responses;
}

void DependenciesView::draw_heads(const Canvas& canvas, const diagrams::Matrix& at,
                                  const diagrams::MatrixPlace& on, const std::vector<size_t>& rows,
                                  const Model& model) const {
  const Theme& theme = canvas.theme;
  const auto ink = [&](long index, size_t node, bool is_row) {
    const bool pointed = (is_row ? on.row : on.column) == index;
    const auto& n = data_.nodes[node];
    return pointed || selected(n, model) ? theme.blue_text
           : found(n, model)             ? theme.text
                                         : theme.dim;
  };
  const float left = canvas.min.x + canvas.px(kSide);
  const auto x0 = float(at.cells.x0), y0 = float(at.cells.y0);
  canvas.list->PushClipRect({left, y0}, {x0, float(at.cells.y1)}, true);
  for (size_t r = at.first_row; r < at.end_row; ++r) {
    const geometry::Rect cell = at.cell(r, 0);
    draw_text(canvas.list, theme.body, {left, float(cell.centre().y) - theme.body->FontSize / 2},
              ink(long(r), rows[r], true), brief_dependency_name(data_.nodes[rows[r]]),
              x0 - left - canvas.px(kPad));
  }
  canvas.list->PopClipRect();
  const float top = y0 - canvas.px(6);
  for (size_t c = at.first_column; c < at.end_column; ++c) {
    const auto x = float(at.cell(0, c).centre().x) - theme.body->FontSize / 2;
    if (x < x0 - 2 || x + theme.body->FontSize > float(at.cells.x1) + 2) continue;
    draw_text_up(canvas.list, theme.body, {x, top}, ink(long(c), rows[c], false),
                 brief_dependency_name(data_.nodes[rows[c]]), top - heads_top_);
  }
}

void DependenciesView::draw_cells(const Canvas& canvas, const diagrams::Matrix& at,
                                  const diagrams::MatrixPlace& on, const std::vector<size_t>& rows,
                                  const Model& model) const {
  const Theme& theme = canvas.theme;
  ImDrawList* list = canvas.list;
  const ImVec2 min{float(at.cells.x0), float(at.cells.y0)},
      max{float(at.cells.x1), float(at.cells.y1)};
  list->PushClipRect(min, max, true);
  if (on.row >= 0) {
    const geometry::Rect row = at.cell(size_t(on.row), 0);
    list->AddRectFilled({min.x, float(row.y0)}, {max.x, float(row.y1)},
                        with_alpha(theme.blue, 0.07f));
  }
  if (on.column >= 0) {
    const geometry::Rect column = at.cell(0, size_t(on.column));
    list->AddRectFilled({float(column.x0), min.y}, {float(column.x1), max.y},
                        with_alpha(theme.blue, 0.07f));
  }
  for (size_t r = at.first_row; r < at.end_row; ++r)
    for (size_t c = at.first_column; c < at.end_column; ++c) {
      const geometry::Rect cell = at.cell(r, c);
      const ImVec2 a{float(cell.x0), float(cell.y0)}, b{float(cell.x1) - 1, float(cell.y1) - 1};
      const uint64_t count = calls(rows[r], rows[c]).count;
      if (rows[r] == rows[c]) list->AddRectFilled(a, b, with_alpha(theme.bar_line, 0.35f));
      if (count == 0) continue;
      const ImU32 fill = mix(theme.bar, full_hue(theme, model.settings),
                             float(diagrams::cell_share(count, data_.most)));
      list->AddRectFilled(a, b, fill);
      const std::string text = answer_.mark() + text::short_count(double(count));
      if (text_size(theme.mono_small, text).x <= b.x - a.x - 2)
        draw_text_centred(list, theme.mono_small, {(a.x + b.x) / 2, (a.y + b.y) / 2},
                          text_on(theme, fill), text);
    }
  for (size_t c = at.first_column; c <= at.end_column; ++c) {
    const float x = float(at.cell(0, c).x0) - 1;
    list->AddLine({x, min.y}, {x, max.y}, with_alpha(theme.line, 0.8f));
  }
  for (size_t r = at.first_row; r <= at.end_row; ++r) {
    const float y = float(at.cell(r, 0).y0) - 1;
    list->AddLine({min.x, y}, {max.x, y}, with_alpha(theme.line, 0.8f));
  }
  list->PopClipRect();
  list->AddLine({canvas.min.x + canvas.px(kSide), min.y - 1}, {max.x, min.y - 1}, theme.bar_line);
  list->AddLine({min.x - 1, heads_top_}, {min.x - 1, max.y}, theme.bar_line);
}

void DependenciesView::matrix_mouse(const Canvas& canvas, const diagrams::Matrix& at,
                                    const diagrams::MatrixPlace& on,
                                    const std::vector<size_t>& rows, Model& model) {
  const ImGuiIO& io = ImGui::GetIO();
  if (ImGui::IsItemHovered()) {
    const float across = io.MouseWheelH + (io.KeyShift ? io.MouseWheel : 0);
    scroll_.x -= across * canvas.px(kNotch);
    if (!io.KeyShift) scroll_.y -= io.MouseWheel * canvas.px(kNotch);
    if (on.row >= 0 && on.column >= 0)
      call_tooltip(canvas, model, rows[size_t(on.row)], rows[size_t(on.column)],
                   calls(rows[size_t(on.row)], rows[size_t(on.column)]));
    else if (on.row >= 0 || on.column >= 0)
      node_tooltip(canvas, rows[size_t(std::max(on.row, on.column))]);
  }
  if (ImGui::IsItemActive() && ImGui::IsMouseDragging(ImGuiMouseButton_Left))
    scroll_ = at.scroll - geometry::Pt{double(io.MouseDelta.x), double(io.MouseDelta.y)};
  if (!ImGui::IsItemDeactivated() || io.MouseDragMaxDistanceSqr[0] > canvas.px(4) * canvas.px(4))
    return;
  // A cell means who is called, a row's name who calls.
  const long chosen = on.column >= 0 ? on.column : on.row;
  if (chosen >= 0 && !data_.nodes[rows[size_t(chosen)]].outside())
    select(data_.nodes[rows[size_t(chosen)]], model);
  else
    model.selection = {};
}

void DependenciesView::draw_matrix(const Canvas& canvas, float top, Model& model) {
  // Callers and callees in one order, which is that of their first appearance: callers first.
  std::vector<size_t> rows;
  std::vector<std::string> names;
  for (size_t n = 0; n < data_.nodes.size(); ++n)
    if (data_.nodes[n].outside() && data_.nodes[n].present) rows.push_back(n);
  for (size_t n = 0; n < data_.nodes.size(); ++n) {
    const auto& node = data_.nodes[n];
    if (!node.frame && !node.outside() && node.present && shows(node, model)) rows.push_back(n);
  }
  for (const size_t n : rows) names.push_back(brief_dependency_name(data_.nodes[n]));
  const diagrams::MatrixWish wish = wish_of(canvas, top, names);
  const diagrams::Matrix at = diagrams::matrix(wish, scroll_);
  scroll_ = at.scroll;
  heads_top_ = float(wish.area.y0);
  ImGui::SetCursorScreenPos({canvas.min.x, top});
  ImGui::InvisibleButton("matrix", {canvas.width(), std::max(1.f, canvas.max.y - top)});
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  diagrams::MatrixPlace on;
  if (ImGui::IsItemHovered()) on = diagrams::matrix_at(wish, at, {mouse.x, mouse.y});
  const float corner = float(at.cells.y0) - canvas.theme.small->FontSize - canvas.px(6);
  draw_text(canvas.list, canvas.theme.small, {canvas.min.x + canvas.px(kSide), corner},
            canvas.theme.dim, "row calls column", float(wish.names) - canvas.px(kPad));
  draw_cells(canvas, at, on, rows, model);
  draw_heads(canvas, at, on, rows, model);
  matrix_mouse(canvas, at, on, rows, model);
}

}  // namespace compmond::ui
