// SPDX-License-Identifier: Apache-2.0
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <algorithm>

#include "ui/kit/draw.h"
#include "ui/kit/row_list.h"
#include "ui/views/call_tree/call_tree.h"
#include "ui/views/shared/definitions.h"

namespace compmond::ui {
namespace {

constexpr float kHead = 26, kFigure = 84;  // design pixels

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

void CallTreeView::draw_rows(const Canvas& canvas, float top, Model& model) {
  make_rows(model);
  const Columns at = columns(canvas);
  draw_heads(canvas, at, top);
  const float first = top + canvas.px(kHead) + 1;
  const RowList list("rows", canvas, first, canvas.max.y, canvas.px(kRow));
  const Canvas& body = list.body();
  page_ = body.height();
  if (show_focus_) {
    show_focus_ = false;
    const auto focused = std::find_if(rows_.begin(), rows_.end(), [&](const auto& r) {
      return tree_.nodes[r.node].key == focus_;
    });
    if (focused != rows_.end()) list.reveal(size_t(focused - rows_.begin()));
  }
  list.rows(rows_.size(), [&](size_t i, float y) { draw_row(body, at, rows_[i], y, model); });
  if (rows_.size() <= 1 && !model.search.text.empty())
    draw_empty(body.list, canvas.theme, body.min, body.max, "Nothing is called that.",
               "Esc ends the search.");
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
