// SPDX-License-Identifier: Apache-2.0
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <algorithm>
#include <array>

#include "ui/kit/draw.h"
#include "ui/kit/row_list.h"
#include "ui/views/inside/inside.h"

namespace compmond::ui {
namespace {

constexpr float kHead = 26, kAtSide = 14;  // design pixels
constexpr float kLeastName = 120, kSpread = 46;

struct Column {
  InsideColumn column;
  const char* title;
  float width;  // design pixels, without the spread
  int weight;   // the lighter gives way first on a narrow screen
  bool spread, to_right;
  const char* about;
};

constexpr std::array kColumns = {
    Column{InsideColumn::kOwn, "own", 68, 100, true, true,
           "The time in which it was innermost on the stack."},
    Column{InsideColumn::kShare, "of it", 58, 60, false, true,
           "Its own time, as a share of that of all that is looked into."},
    Column{InsideColumn::kCpu, "on CPU", 74, 40, false, true, "Of its own time, that on a CPU."},
    Column{InsideColumn::kWaiting, "waiting", 74, 45, false, true,
           "Of its own time, that off the CPU: blocked, or waiting for one."},
    Column{InsideColumn::kTotal, "total", 68, 90, true, true,
           "The time in which it was anywhere inside: its own, and that of all it called."},
    Column{InsideColumn::kSamples, "samples", 64, 20, false, true,
           "That its total rests on. Below 5 only an upper bound is told."},
    Column{InsideColumn::kFile, "in", 96, 50, false, false, "The file that its code is in."},
};

const Column& column_of(InsideColumn which) {
  return *std::ranges::find(kColumns, which, &Column::column);
}

bool splits(InsideColumn column) {
  return column == InsideColumn::kCpu || column == InsideColumn::kWaiting;
}

const char* name_title(InsideBy by) {
  return by == InsideBy::kFunction ? "function" : by == InsideBy::kFile ? "file" : "whose code";
}

}  // namespace

void InsideView::make_rows(const Model& model) {
  const RowsFor now{revision_, by(model), time(model), order_, model.search.text};
  if (now == rows_for_) return;
  rows_for_ = now;
  rows_ = inside_rows(*inside(), now.by);
  std::erase_if(rows_, [&](const InsideRow& row) { return !model.found(row.name); });
  sort_rows(rows_, order_, now.time);
}

InsideView::Plan InsideView::plan(const Canvas& canvas, const Model& model) const {
  Plan out;
  const float left = canvas.min.x + canvas.px(kAtSide), right = canvas.max.x - canvas.px(16);
  std::vector<size_t> kept;
  for (size_t i = 0; i < kColumns.size(); ++i) {
    const InsideColumn column = kColumns[i].column;
    if (splits(column) && (!waits() || time(model) != InsideTime::kBoth)) continue;
    if (column == InsideColumn::kFile && by(model) != InsideBy::kFunction) continue;
    kept.push_back(i);
  }
  const auto width = [&](size_t i) {
    return canvas.px(kColumns[i].width + (kColumns[i].spread ? kSpread : 0));
  };
  const float used = keep_what_fits(kept, canvas.px(kLeastName), right - left, width,
                                    [](size_t i) { return kColumns[i].weight; });
  out.name_left = left;
  out.name_right = left + canvas.px(kLeastName) + std::max(0.f, right - left - used);
  float x = out.name_right;
  for (const size_t i : kept) {
    out.places.push_back(
        {kColumns[i].column, x, x + width(i), kColumns[i].spread ? canvas.px(kSpread) : 0});
    x += width(i);
  }
  return out;
}

void InsideView::head_cell(const Canvas& canvas, const Model& model, InsideColumn column,
                           float left, float right) {
  const bool name = column == InsideColumn::kName;
  const bool text = name || column == InsideColumn::kFile;
  const char* title = name ? name_title(by(model)) : column_of(column).title;
  const Sorted sorted = order_.column != column ? Sorted::kNot
                        : order_.descending     ? Sorted::kDescending
                                                : Sorted::kAscending;
  const HeadTouch touch = draw_head_cell(canvas, {title, left, right, !text}, sorted);
  if (touch.clicked) order_ = {column, order_.column == column ? !order_.descending : !text};
  if (touch.hovered)
    tooltip(canvas.theme, title, name ? "" : column_of(column).about, "Click sorts.");
}

void InsideView::draw_table(const Canvas& canvas, Model& model) {
  make_rows(model);
  const Plan where = plan(canvas, model);
  const Canvas head{
      canvas.list, canvas.min, {canvas.max.x, canvas.min.y + canvas.px(kHead)}, canvas.theme};
  canvas.list->AddLine({head.min.x, head.max.y}, head.max, canvas.theme.line);
  head_cell(head, model, InsideColumn::kName, where.name_left, where.name_right);
  for (const Place& place : where.places) {
    const bool text = place.column == InsideColumn::kFile;
    head_cell(head, model, place.column, place.left + canvas.px(text ? 12 : 6),
              place.right - place.spread);
  }
  const float first = head.max.y + 1;
  const RowList list("functions", canvas, first, canvas.max.y, canvas.px(kRow));
  const Canvas& body = list.body();
  if (const auto at = std::ranges::find(rows_, selected_, &InsideRow::key);
      reveal_ && at != rows_.end())
    list.reveal(size_t(at - rows_.begin()));
  reveal_ = false;
  list.rows(rows_.size(), [&](size_t i, float y) { draw_row(body, where, model, rows_[i], y); });
  if (rows_.empty())
    draw_empty(body.list, canvas.theme, body.min, body.max, "Nothing is called that.",
               "Esc ends the search.");
}

bool InsideView::row_key_pressed(int glfw_key, const Model& model) {
  if (glfw_key != GLFW_KEY_UP && glfw_key != GLFW_KEY_DOWN) return false;
  if (!inside()) return false;
  make_rows(model);
  if (rows_.empty()) return false;
  const auto at = std::ranges::find(rows_, selected_, &InsideRow::key);
  const bool down = glfw_key == GLFW_KEY_DOWN;
  const auto last = ptrdiff_t(rows_.size()) - 1;
  ptrdiff_t next = down ? 0 : last;
  if (at != rows_.end())
    next = std::clamp<ptrdiff_t>(at - rows_.begin() + (down ? 1 : -1), 0, last);
  select(rows_[size_t(next)].key);
  return true;
}

}  // namespace compmond::ui
