// SPDX-License-Identifier: Apache-2.0
#include "ui/views/table/table.h"

#include <algorithm>

#include "snapshot/doubt.h"
#include "snapshot/heat_text.h"
#include "text/clean.h"
#include "text/match.h"
#include "text/numbers.h"
#include "ui/kit/draw.h"
#include "ui/kit/row_list.h"
#include "ui/views/shared/empty.h"
#include "ui/views/table/table_columns.h"

namespace compmond::ui {
namespace {

constexpr float kLeastName = 120, kSpark = 96;  // design pixels
constexpr float kScrollBar = 12;                // design pixels
constexpr float kSpread = 46;                   // design pixels for "±12 %"
constexpr float kMoreCalls = 18;                // likewise, beyond "1,234,567", for "≈12,345,678"
// Seconds, while figures go on by themselves: rows that swap places 25 times a second cannot be
// read, and an order that they contradict is not to be seen for long.
constexpr double kResort = 0.5;
// Likewise, for which rows hold still after the mouse moved over them: who does that may be about
// to click on one. Where it only rests there the order goes on.
constexpr double kPointed = 4;

// What zeros are worth.
const char* zeros_text(const Model& model) {
  const snapshot::Snapshot& snapshot = *model.snapshot;
  if (knows_no_calls(snapshot)) return "Health (H) says how the samples were taken.";
  const bool real = std::ranges::all_of(
      snapshot.components, [&](const auto& c) { return doubt_of_none(snapshot, c).empty(); });
  return real ? "The zeros are real: everything is observed and nothing was lost."
              : "Not everything is observed: see Health (H).";
}

}  // namespace

// Names get what they need, within bounds, then the columns, then what is left. Columns that do not
// fit are scrolled to.
TableView::Plan TableView::plan(const Canvas& canvas, const Model& model) const {
  Plan out;
  const auto columns = table_columns();
  const float left = canvas.min.x + canvas.px(34), right = canvas.max.x - canvas.px(22);
  const float name = std::clamp(name_width_, canvas.px(kLeastName),
                                std::max(canvas.px(kLeastName), (right - left) * 0.3f));
  const bool spark = right - left >= name + canvas.px(kSpark + 200);
  const bool samples = model.snapshot->health.samples.has_value(),
             estimates = rests_on_samples(*model.snapshot),
             waits = std::ranges::any_of(
                 model.snapshot->components,
                 [](const snapshot::Component&c) { return c.figures.waiting_ns > 0; });
  const bool slices =
      (model.snapshot->health.busy && !model.snapshot->health.busy->spans.empty()) ||
      std::ranges::any_of(model.snapshot->components, [](const snapshot::Component& c) {
        return estimated_calls(c.figures) != nullptr;
      });
  const auto spread = [&](size_t i) {
    const bool time = estimates && columns[i].estimate && !columns[i].of_samples;
    return time || (slices && columns[i].term == Term::kCalls) ? canvas.px(kSpread) : 0;
  };
  const auto width = [&](size_t i) {
    const bool many = slices && columns[i].term == Term::kCalls;
    return canvas.px(columns[i].width + (many ? kMoreCalls : 0)) + spread(i);
  };
  std::vector<size_t> kept;
  for (size_t i = 0; i < columns.size(); ++i)
    if ((columns[i].term != Term::kViolations || model.snapshot->slo) &&
        (columns[i].term != Term::kDeviation ||
         ranked_figure(*model.snapshot) == snapshot::RankedFigure::kDeviation) &&
        (!columns[i].of_samples || samples || (columns[i].term == Term::kWaiting && waits)))
      kept.push_back(i);
  // Where not all calls are seen, what needs them comes last, but for their number where it is
  // told.
  const bool counts = !knows_no_calls(*model.snapshot);
  if (estimates)
    std::ranges::stable_partition(kept, [&](size_t i) {
      return columns[i].without_calls() || (counts && columns[i].term == Term::kCalls);
    });
  float used = name + (spark ? canvas.px(kSpark) : 0);
  for (const size_t i : kept) used += width(i);
  out.beyond = std::max(0.f, used - (right - left));
  const float spare = std::max(0.f, right - left - used);
  const float for_name = std::min(std::max(0.f, name_width_ - name), spare * 0.6f);
  const float for_spark =
      spark ? canvas.px(kSpark) + std::min(canvas.px(130), (spare - for_name) * 0.5f) : 0;
  const float rest = spare - for_name - std::max(0.f, for_spark - canvas.px(kSpark));
  const float each = std::min(canvas.px(40), std::max(0.f, rest) / float(kept.size()));
  out.name_right = left + name + for_name;
  out.spark_left = out.name_right + (spark ? canvas.px(8) : 0);
  out.spark_right = out.name_right + for_spark;
  out.left = out.spark_right;
  out.right = right + canvas.px(8);
  // To the beginning of a column.
  float x = out.spark_right, hidden = 0;
  for (size_t i = 0; i < kept.size() && hidden < std::min(scrolled_, out.beyond); ++i)
    hidden += width(kept[i]);
  x -= hidden;
  for (const size_t index : kept)
    out.columns.push_back({index, x += width(index) + each, width(index), spread(index)});
  return out;
}

bool TableView::pointed_at(const Canvas& canvas, const Model& model) {
  if (!ImGui::IsMouseHoveringRect(canvas.min, canvas.max)) return false;
  const ImGuiIO& io = ImGui::GetIO();
  if (io.MouseDelta.x != 0 || io.MouseDelta.y != 0 || io.MouseWheel != 0 || io.MouseDown[0])
    pointed_s_ = model.clock_s;
  return model.clock_s - pointed_s_ < kPointed;
}

void TableView::sort_rows(const Canvas& canvas, const Model& model) {
  const SortedFor now{order_,
                      expanded_,
                      model.search.text,
                      model.snapshot->components.size(),
                      model.snapshot->metric,
                      model.window.length_ns,
                      model.settings.hidden,
                      model.settings.isolated};
  // Where they do not, the figures have changed because somebody wanted others.
  const bool goes_on = model.moves() && !model.run.paused && model.window.live;
  const bool due = goes_on ? !pointed_at(canvas, model) && model.clock_s - sorted_s_ >= kResort
                           : model.generation != sorted_generation_;
  if (now == sorted_for_ && !due) return;
  rows_ = table_rows(model, order_, expanded_);
  name_width_ = 0;
  for (const TableRow& row : rows_)
    name_width_ = std::max(name_width_, name_width(canvas, model, row));
  sorted_for_ = now;
  sorted_s_ = model.clock_s;
  sorted_generation_ = model.generation;
}

void TableView::scroll(const Canvas& canvas, const Plan& plan) {
  scrolled_ = std::min(scrolled_, plan.beyond);
  if (plan.beyond <= 0) return;
  const ImGuiIO& io = ImGui::GetIO();
  if (ImGui::IsMouseHoveringRect(canvas.min, canvas.max)) {
    const float notches = io.MouseWheelH != 0 ? io.MouseWheelH : io.KeyShift ? io.MouseWheel : 0;
    scrolled_ = std::clamp(scrolled_ - notches * canvas.px(60), 0.f, plan.beyond);
  }
  const float room = plan.right - plan.left, all = room + plan.beyond, bar = room * room / all;
  const ImVec2 min{plan.left, canvas.max.y - canvas.px(kScrollBar)}, max{plan.right, canvas.max.y};
  ImGui::SetCursorScreenPos(min);
  ImGui::InvisibleButton("scroll", {room, max.y - min.y});
  if (ImGui::IsItemActive())
    scrolled_ = std::clamp((io.MousePos.x - plan.left - bar / 2) / room * all, 0.f, plan.beyond);
  const bool bright = ImGui::IsItemHovered() || ImGui::IsItemActive();
  if (ImGui::IsItemHovered())
    tooltip(canvas.theme, "", "More columns: drag this, or turn the wheel with shift.");
  const float x = plan.left + scrolled_ / all * room, thick = canvas.px(2.5f),
              y = (min.y + max.y) / 2;
  canvas.list->AddRectFilled({plan.left, y - 1}, {plan.right, y + 1}, canvas.theme.line);
  canvas.list->AddRectFilled({x, y - thick}, {x + bar, y + thick},
                             bright ? canvas.theme.dim : canvas.theme.bar_line, thick);
}

void TableView::draw(const Canvas& canvas, Model& model) {
  if (draw_empty_state(canvas, model)) return;
  sort_rows(canvas, model);
  const Plan where = plan(canvas, model);
  scroll(canvas, where);
  const float bottom = canvas.max.y - (where.beyond > 0 ? canvas.px(kScrollBar) : 0);
  const float top = canvas.min.y + canvas.px(kTableHead);
  draw_head({canvas.list, canvas.min, {canvas.max.x, top}, canvas.theme}, where, *model.snapshot);
  const RowList list("rows", canvas, top, bottom, canvas.px(kTableRow));
  const Canvas& body = list.body();
  if (rows_.empty())
    draw_empty(body.list, canvas.theme, body.min, body.max,
               model.search.text.empty() ? "Every component is hidden." : "Nothing is called that.",
               model.search.text.empty() ? "Backspace shows all again." : "Esc ends the search.");
  if (const std::string quiet = no_calls_text(model); !quiet.empty())
    draw_empty(
        body.list, canvas.theme,
        {body.min.x, std::min(body.max.y, body.min.y + canvas.px(kTableRow) * float(rows_.size()))},
        body.max, quiet, zeros_text(model));
  list.rows(rows_.size(), [&](size_t i, float y) { draw_row(body, where, model, rows_[i], y); });
}

}  // namespace compmond::ui
