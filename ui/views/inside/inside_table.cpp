// SPDX-License-Identifier: Apache-2.0
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "text/clean.h"
#include "text/match.h"
#include "text/numbers.h"
#include "ui/kit/draw.h"
#include "ui/views/inside/inside.h"
#include "ui/views/inside/whose.h"
#include "ui/views/shared/estimated.h"
#include "ui/views/shared/operation_name.h"

namespace compmond::ui {
namespace {

using snapshot::Estimated;

constexpr float kRow = 24, kHead = 26, kSide = 14, kSwatch = 9;  // design pixels
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

std::string share_text(const Estimated& of, const Estimated& whole, snapshot::TimeOf time) {
  if (!is_value(of, time) || !is_value(whole, time)) return "–";
  return text::percent(100 * (of.*time)->value_ns / (whole.*time)->value_ns);
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
  const float left = canvas.min.x + canvas.px(kSide), right = canvas.max.x - canvas.px(16);
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

std::string InsideView::figures_text(const InsideRow& row) const {
  const Estimated whole = snapshot::estimated_of(inside()->total);
  const auto both = &Estimated::net_real_ns;
  const auto& spread = *row.total.net_real_ns;
  const bool exact = spread.high_ns > spread.value_ns;
  std::string out;
  const auto line = [&](const char* what, const Estimated& of, snapshot::TimeOf time, bool interval,
                        const std::string& more = {}) {
    out += fmt::format("{}  {}{}\n", what,
                       interval ? interval_text(of, time) : value_text(of, time), more);
  };
  if (row.own.samples == 0) {
    out += "own  none: it was never innermost\n";
  } else {
    line("own", row.own, both, true,
         is_value(row.own, both) ? ", " + share_text(row.own, whole, both) + " of it" : "");
    if (waits()) {
      line("    on CPU", row.own, &Estimated::cpu_ns, true);
      line("    waiting", row.own, &Estimated::waiting_ns, true);
    }
  }
  line("total", row.total, both, exact,
       is_value(row.total, both) ? ", " + share_text(row.total, whole, both) + " of it" : "");
  if (waits()) {
    line("    on CPU", row.total, &Estimated::cpu_ns, exact);
    line("    waiting", row.total, &Estimated::waiting_ns, exact);
  }
  if (row.functions > 1) out += text::counted(row.functions, "function") + "\n";
  return out + fmt::format("from {}, {} of them its own",
                           text::counted(row.total.samples, "sample"),
                           text::count(row.own.samples));
}

void InsideView::draw_cell(const Canvas& canvas, const Place& place, const Model& model,
                           const InsideRow& row, float y) const {
  const Theme& theme = canvas.theme;
  const auto middle = [&](ImFont* font) { return y + (canvas.px(kRow) - font->FontSize) / 2; };
  const auto right = [&](ImFont* font, float at, ImU32 ink, const std::string& text) {
    draw_text_right(canvas.list, font, {at, middle(font)}, ink, text);
  };
  const auto estimate = [&](const Estimated& of, snapshot::TimeOf which, bool strong, bool spread) {
    const bool none = of.samples == 0;
    right(theme.mono, place.right - place.spread,
          none                            ? theme.faint
          : strong && is_value(of, which) ? theme.text
                                          : theme.dim,
          none ? "–" : value_text(of, which));
    if (spread && !none) right(theme.mono_small, place.right, theme.dim, spread_text(of, which));
  };
  const snapshot::TimeOf time = time_of(this->time(model));
  switch (place.column) {
    case InsideColumn::kOwn:
      return estimate(row.own, time, true, true);
    case InsideColumn::kTotal:
      return estimate(row.total, time, false, row.functions == 1);
    case InsideColumn::kCpu:
      return estimate(row.own, &Estimated::cpu_ns, false, false);
    case InsideColumn::kWaiting:
      return estimate(row.own, &Estimated::waiting_ns, false, false);
    case InsideColumn::kShare:
      return right(theme.mono, place.right, theme.dim,
                   share_text(row.own, snapshot::estimated_of(inside()->total), time));
    case InsideColumn::kSamples:
      return right(theme.mono, place.right, theme.dim, text::count(row.total.samples));
    case InsideColumn::kFile:
      draw_text(canvas.list, theme.small, {place.left + canvas.px(12), middle(theme.small)},
                theme.dim, text::clean(text::leaf(row.image)),
                place.right - place.left - canvas.px(12));
      return;
    case InsideColumn::kName:
      return;
  }
}

void InsideView::draw_row(const Canvas& canvas, const Plan& plan, const Model& model,
                          const InsideRow& row, float y) {
  const Theme& theme = canvas.theme;
  const ImVec2 min{canvas.min.x, y}, max{canvas.max.x, y + canvas.px(kRow)};
  ImGui::SetCursorScreenPos(min);
  if (ImGui::InvisibleButton("row", {max.x - min.x, max.y - min.y})) selected_ = row.key;
  const bool hovered = ImGui::IsItemHovered();
  if (hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
    selected_ = row.key;
    zoom_into_selected(model);
  }
  if (selected_ == row.key) {
    canvas.list->AddRectFilled(min, max, with_alpha(theme.blue_fill, 0.22f));
    canvas.list->AddRectFilled(min, {min.x + canvas.px(3), max.y}, theme.blue);
  } else if (hovered) {
    canvas.list->AddRectFilled(min, max, with_alpha(theme.blue, 0.07f));
  }
  const float middle = y + canvas.px(kRow) / 2, side = canvas.px(kSwatch);
  draw_whose(canvas, {plan.name_left, middle - side / 2},
             {plan.name_left + side, middle + side / 2}, row.whose, 0, canvas.px(2));
  const float x = plan.name_left + side + canvas.px(7), room = plan.name_right - x;
  const bool fits = text_size(theme.mono_small, row.name).x <= room;
  draw_text(canvas.list, theme.mono_small, {x, middle - theme.mono_small->FontSize / 2}, theme.text,
            fits || by(model) != InsideBy::kFunction ? row.name : short_operation(row.name), room);
  for (const Place& place : plan.places) draw_cell(canvas, place, model, row, y);
  if (hovered)
    tooltip(theme, row.name,
            (row.image.empty()
                 ? std::string(whose_text(row.whose.known().value_or(snapshot::Whose::kUnknown)))
                 : text::clean(row.image)) +
                "\n" + figures_text(row),
            "Click marks it in the drawing; Enter or a double click shows its widest box there.");
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
  ImGui::SetCursorScreenPos({canvas.min.x, first});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  ImGui::BeginChild("functions", {canvas.width(), std::max(1.f, canvas.max.y - first)});
  const Canvas body{ImGui::GetWindowDrawList(), {canvas.min.x, first}, canvas.max, canvas.theme};
  const float row = canvas.px(kRow);
  if (const auto at = std::ranges::find(rows_, selected_, &InsideRow::key);
      reveal_ && at != rows_.end()) {
    const float y = row * float(at - rows_.begin()), high = std::max(0.f, body.height() - row);
    ImGui::SetScrollY(std::clamp(ImGui::GetScrollY(), std::max(0.f, y - high), y));
  }
  reveal_ = false;
  ImGuiListClipper clipper;
  clipper.Begin(int(rows_.size()), row);
  while (clipper.Step())
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      ImGui::PushID(i);
      const float y = ImGui::GetCursorScreenPos().y;
      draw_row(body, where, model, rows_[size_t(i)], y);
      ImGui::SetCursorScreenPos({canvas.min.x, y});
      ImGui::Dummy({1, row});
      ImGui::PopID();
    }
  if (rows_.empty())
    draw_empty(body.list, canvas.theme, body.min, body.max, "Nothing is called that.",
               "Esc ends the search.");
  ImGui::EndChild();
  ImGui::PopStyleVar();
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
