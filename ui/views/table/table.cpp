// SPDX-License-Identifier: Apache-2.0
#include "ui/views/table/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "text/clean.h"
#include "text/numbers.h"
#include "ui/kit/draw.h"
#include "ui/kit/names.h"
#include "ui/views/shared/empty.h"
#include "ui/views/shared/heat.h"
#include "ui/views/shared/slo.h"
#include "ui/views/shared/view.h"
#include "ui/views/table/sparkline.h"
#include "ui/views/table/table_columns.h"
#include "ui/views/table/table_rows.h"

namespace compmond::ui {
namespace {

constexpr float kRow = 25, kHead = 30, kLeastName = 120, kSpark = 96;  // design pixels
constexpr double kResort = 2;  // seconds: rows that swap places 25 times a second cannot be read

// What zeros are worth.
const char* zeros_text(const Model& model) {
  const auto& health = model.snapshot->health;
  return health.lost == 0 && health.refused.empty() && health.throttled.empty()
             ? "The zeros are real: everything is observed and nothing was lost."
             : "Not everything is observed: see Health (H).";
}

class TableView : public View {
 public:
  const char* name() const override { return "Table"; }
  const char* purpose() const override {
    return "All figures of components and operations, with percentiles: sort, filter (/), expand.";
  }
  void draw(const Canvas& canvas, Model& model) override;

 private:
  struct Column {
    size_t index;  // of table_columns()
    float right;   // where its text ends
  };
  struct Plan {
    float name_right = 0, spark_left = 0, spark_right = 0;  // no sparkline where they are equal
    std::vector<Column> columns;
  };
  Plan plan(const Canvas& canvas, const Model& model) const;
  void sort_rows(const Canvas& canvas, const Model& model);
  void draw_head(const Canvas& canvas, const Plan& plan, Model& model);
  void head_cell(const Canvas& canvas, size_t column, const char* title, float left, float right,
                 bool to_right);
  void draw_row(const Canvas& canvas, const Plan& plan, Model& model, const TableRow& row, float y);
  void draw_name(const Canvas& canvas, const Plan& plan, Model& model, const TableRow& row,
                 float y);
  void draw_figures(const Canvas& canvas, const Plan& plan, const Model& model,
                    const snapshot::Figures& figures, bool measured, bool is_operation,
                    float y) const;

  TableOrder order_;
  std::set<std::string> expanded_;
  std::vector<TableRow> rows_;
  struct SortedFor {
    TableOrder order;
    std::set<std::string> expanded;
    std::string search;
    size_t components = 0;
    std::set<std::string> hidden, isolated;
    bool operator==(const SortedFor&) const = default;
  } sorted_for_;
  double sorted_s_ = -kResort;
  float name_width_ = 0;  // of the longest name
};

// Names get what they need, within bounds; then the columns that fit, then what is left.
TableView::Plan TableView::plan(const Canvas& canvas, const Model& model) const {
  Plan out;
  const auto columns = table_columns();
  const float left = canvas.min.x + canvas.px(34), right = canvas.max.x - canvas.px(22);
  const float name = std::clamp(name_width_, canvas.px(kLeastName),
                                std::max(canvas.px(kLeastName), (right - left) * 0.3f));
  const bool spark = right - left >= name + canvas.px(kSpark + 200);
  std::vector<size_t> kept;
  for (size_t i = 0; i < columns.size(); ++i)
    if (columns[i].term != Term::kViolations || model.snapshot->slo) kept.push_back(i);
  float used = name + (spark ? canvas.px(kSpark) : 0);
  for (const size_t i : kept) used += canvas.px(columns[i].width);
  while (used > right - left && kept.size() > 2) {
    const auto lightest = std::min_element(kept.begin(), kept.end(), [&](size_t a, size_t b) {
      return columns[a].weight < columns[b].weight;
    });
    used -= canvas.px(columns[*lightest].width);
    kept.erase(lightest);
  }
  const float spare = std::max(0.f, right - left - used);
  const float for_name = std::min(std::max(0.f, name_width_ - name), spare * 0.6f);
  const float for_spark =
      spark ? canvas.px(kSpark) + std::min(canvas.px(130), (spare - for_name) * 0.5f) : 0;
  const float rest = spare - for_name - std::max(0.f, for_spark - canvas.px(kSpark));
  const float each = std::min(canvas.px(40), std::max(0.f, rest) / float(kept.size()));
  out.name_right = left + name + for_name;
  out.spark_left = out.name_right + (spark ? canvas.px(8) : 0);
  out.spark_right = out.name_right + for_spark;
  float x = out.spark_right;
  for (const size_t index : kept)
    out.columns.push_back({index, x += canvas.px(columns[index].width) + each});
  return out;
}

void TableView::sort_rows(const Canvas& canvas, const Model& model) {
  const SortedFor now{order_,
                      expanded_,
                      model.search.text,
                      model.snapshot->components.size(),
                      model.settings.hidden,
                      model.settings.isolated};
  const bool due =
      model.clock_s - sorted_s_ >= kResort && !ImGui::IsMouseHoveringRect(canvas.min, canvas.max);
  if (now == sorted_for_ && !due) return;
  rows_ = table_rows(model, order_, expanded_);
  name_width_ = 0;
  for (const auto& component : model.snapshot->components) {
    const float mark = component.status == snapshot::Status::kAttached ? 0 : canvas.px(56);
    const float indent =
        canvas.px(12) * float(std::count(component.name.begin(), component.name.end(), '/'));
    name_width_ = std::max(name_width_, text_size(canvas.theme.bold, leaf(component.name)).x +
                                            mark + indent + canvas.px(10));
    if (!expanded_.contains(component.name)) continue;
    for (const auto& operation : component.operations)
      name_width_ = std::max(name_width_,
                             text_size(canvas.theme.mono_small, operation.name).x + canvas.px(26));
  }
  sorted_for_ = now;
  sorted_s_ = model.clock_s;
}

void TableView::draw(const Canvas& canvas, Model& model) {
  if (draw_empty_state(canvas, model)) return;
  sort_rows(canvas, model);
  const Plan where = plan(canvas, model);
  draw_head(canvas, where, model);
  const float top = canvas.min.y + canvas.px(kHead);
  ImGui::SetCursorScreenPos({canvas.min.x, top});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  ImGui::BeginChild("rows", {canvas.width(), canvas.max.y - top});
  const Canvas body{ImGui::GetWindowDrawList(), {canvas.min.x, top}, canvas.max, canvas.theme};
  if (rows_.empty())
    draw_empty(body.list, canvas.theme, body.min, body.max,
               model.search.text.empty() ? "Every component is hidden." : "Nothing is called that.",
               model.search.text.empty() ? "Backspace shows all again." : "Esc ends the search.");
  if (const std::string quiet = no_calls_text(model); !quiet.empty())
    draw_empty(
        body.list, canvas.theme,
        {body.min.x, std::min(body.max.y, body.min.y + canvas.px(kRow) * float(rows_.size()))},
        body.max, quiet, zeros_text(model));
  ImGuiListClipper clipper;
  clipper.Begin(int(rows_.size()), canvas.px(kRow));
  while (clipper.Step())
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      ImGui::PushID(i);
      const float y = ImGui::GetCursorScreenPos().y;
      draw_row(body, where, model, rows_[size_t(i)], y);
      ImGui::SetCursorScreenPos({canvas.min.x, y});
      ImGui::Dummy({1, canvas.px(kRow)});
      ImGui::PopID();
    }
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

void TableView::head_cell(const Canvas& canvas, size_t column, const char* title, float left,
                          float right, bool to_right) {
  const Theme& theme = canvas.theme;
  ImGui::SetCursorScreenPos({left, canvas.min.y});
  ImGui::PushID(int(column));
  if (ImGui::InvisibleButton("sort", {right - left, canvas.px(kHead)})) {
    if (order_.column == column)
      order_.descending = !order_.descending;
    else
      order_ = {column, column != TableOrder::kName};
  }
  ImGui::PopID();
  const bool hovered = ImGui::IsItemHovered(), sorted = order_.column == column;
  const float y = canvas.min.y + (canvas.px(kHead) - theme.small->FontSize) / 2;
  const float width = text_size(theme.small, title).x;
  const float x = to_right ? right - width : left;
  draw_text(canvas.list, theme.small, {x, y}, sorted || hovered ? theme.strong : theme.dim, title);
  if (sorted) {
    const float r = canvas.px(3.5f), ax = to_right ? x - canvas.px(9) : x + width + canvas.px(9),
                ay = y + theme.small->FontSize / 2;
    if (order_.descending)
      canvas.list->AddTriangleFilled({ax - r, ay - r / 2}, {ax + r, ay - r / 2}, {ax, ay + r},
                                     theme.blue);
    else
      canvas.list->AddTriangleFilled({ax - r, ay + r / 2}, {ax, ay - r}, {ax + r, ay + r / 2},
                                     theme.blue);
  }
  if (hovered && column < table_columns().size()) {
    const Definition& def = definition(table_columns()[column].term);
    tooltip(theme, def.title, def.text, "Click sorts.");
  }
}

void TableView::draw_head(const Canvas& canvas, const Plan& plan, Model& model) {
  const Theme& theme = canvas.theme;
  const float bottom = canvas.min.y + canvas.px(kHead);
  canvas.list->AddLine({canvas.min.x, bottom}, {canvas.max.x, bottom}, theme.line);
  head_cell(canvas, TableOrder::kName, "component", canvas.min.x + canvas.px(34),
            plan.name_right - canvas.px(8), false);
  if (plan.spark_right > plan.spark_left)
    draw_text(canvas.list, theme.small,
              {plan.spark_left, canvas.min.y + (canvas.px(kHead) - theme.small->FontSize) / 2},
              theme.dim, "activity");
  for (const Column& column : plan.columns) {
    const TableColumn& what = table_columns()[column.index];
    head_cell(canvas, column.index, what.title, column.right - canvas.px(what.width) + canvas.px(8),
              column.right, true);
  }
  (void)model;
}

void TableView::draw_name(const Canvas& canvas, const Plan& plan, Model& model, const TableRow& row,
                          float y) {
  const Theme& theme = canvas.theme;
  const auto& component = model.snapshot->components[row.component];
  const float middle = y + canvas.px(kRow) / 2;
  const float left = canvas.min.x + canvas.px(34);
  if (row.operation != TableRow::kWhole) {
    const auto& operation = component.operations[row.operation];
    const bool refused = operation.exit_mode == snapshot::ExitMode::kRefused;
    const std::string name = text::clean(operation.name);
    const float x = left + canvas.px(16);
    const bool cut =
        draw_text(canvas.list, theme.mono_small, {x, middle - theme.mono_small->FontSize / 2},
                  refused ? theme.amber : theme.dim, name, plan.name_right - x);
    if (ImGui::IsWindowHovered() &&
        ImGui::IsMouseHoveringRect({x, y}, {plan.name_right, y + canvas.px(kRow)})) {
      const std::string how =
          fmt::format("{} · {}{}{}", operation.interface.text(), operation.exit_mode.text(),
                      operation.reason.empty() ? "" : ": ", text::clean(operation.reason));
      tooltip(theme, cut ? name : "", how + "\n" + text::clean(operation.symbol),
              definition(Term::kExitMode).text);
    }
    return;
  }
  const float depth = float(std::count(component.name.begin(), component.name.end(), '/'));
  const float x = left + canvas.px(12) * std::min(depth, 4.f);
  if (!component.operations.empty()) {
    const bool open = expanded_.contains(component.name);
    ImGui::SetCursorScreenPos({canvas.min.x + canvas.px(10), y});
    if (ImGui::InvisibleButton("expand", {canvas.px(20), canvas.px(kRow)})) {
      if (!expanded_.erase(component.name)) expanded_.insert(component.name);
    }
    const ImU32 colour = ImGui::IsItemHovered() ? theme.strong : theme.dim;
    const float ax = canvas.min.x + canvas.px(21), r = canvas.px(4);
    if (open)
      canvas.list->AddTriangleFilled({ax - r, middle - r / 2}, {ax + r, middle - r / 2},
                                     {ax, middle + r * 0.8f}, colour);
    else
      canvas.list->AddTriangleFilled({ax - r / 2, middle - r}, {ax + r * 0.8f, middle},
                                     {ax - r / 2, middle + r}, colour);
  }
  const std::string name = text::clean(leaf(component.name));
  float room = plan.name_right - x - canvas.px(8);
  std::string mark;
  if (component.status != snapshot::Status::kAttached) mark = component.status.text();
  if (!mark.empty()) room -= text_size(theme.small, mark).x + canvas.px(8);
  const bool cut = draw_text(canvas.list, theme.bold, {x, middle - theme.bold->FontSize / 2},
                             theme.strong, name, room);
  if (!mark.empty())
    draw_text(canvas.list, theme.small,
              {x + std::min(room, text_size(theme.bold, name).x) + canvas.px(8),
               middle - theme.small->FontSize / 2},
              theme.amber, mark);
  if ((cut || !mark.empty() || depth > 0) && ImGui::IsWindowHovered() &&
      ImGui::IsMouseHoveringRect({x, y}, {plan.name_right, y + canvas.px(kRow)}))
    tooltip(theme, text::clean(component.name), mark,
            mark.empty() ? "" : definition(Term::kStatus).text);
}

void TableView::draw_figures(const Canvas& canvas, const Plan& plan, const Model& model,
                             const snapshot::Figures& figures, bool measured, bool is_operation,
                             float y) const {
  const Theme& theme = canvas.theme;
  const double seconds = double(model.figures_interval().length()) / 1e9;
  ImFont* font = is_operation ? theme.mono_small : theme.mono;
  const float at = y + (canvas.px(kRow) - font->FontSize) / 2;
  for (const Column& column : plan.columns) {
    const TableColumn& what = table_columns()[column.index];
    const double value = what.value(figures, seconds);
    const bool real = what.term == Term::kNetReal;
    const bool amber = (real && (figures.uncertain || figures.closed.lossy > 0)) ||
                       (figures.at_least && (real || what.term == Term::kCalls));
    const float left = column.right - canvas.px(what.width) + canvas.px(12);
    if (amber)
      draw_hatch(canvas.list, {left, y + canvas.px(kRow - 5)},
                 {column.right, y + canvas.px(kRow - 2)}, with_alpha(theme.amber, 0.8f),
                 canvas.px(4));
    const bool red = what.term == Term::kViolations && value > 0;
    const ImU32 colour = amber                        ? theme.amber
                         : red                        ? theme.red
                         : value > 0 && !is_operation ? theme.text
                                                      : theme.dim;
    if (red)
      draw_missed_mark(canvas.list, theme,
                       {column.right - text_size(font, what.text(value)).x - canvas.px(9),
                        y + canvas.px(kRow / 2 + 4)},
                       canvas.px(8));
    // A zero is shown only where it was measured.
    draw_text_right(canvas.list, font, {column.right, at}, measured ? colour : theme.amber,
                    measured ? what.text(value) : "–");
    if (ImGui::IsWindowHovered() &&
        ImGui::IsMouseHoveringRect({left, y}, {column.right, y + canvas.px(kRow)})) {
      const Definition& def = definition(what.term);
      std::string text(def.text);
      if (real && measured)
        text = fmt::format("{} real, {} of it probe cost taken out\n",
                           text::duration(double(figures.real_ns)),
                           text::duration(double(figures.real_ns -
                                                 std::min(figures.real_ns, figures.net_real_ns)))) +
               text;
      if (real && figures.uncertain) text += "\n" + std::string(definition(Term::kUncertain).text);
      if (figures.at_least) text += "\n" + std::string(definition(Term::kAtLeast).text);
      if (figures.closed.lossy > 0)
        text += fmt::format("\n{} executions are lossy: their ends were not seen.",
                            text::count(figures.closed.lossy));
      tooltip(theme, def.title, measured ? text : "Not observed, so there is no figure.");
    }
  }
}

void TableView::draw_row(const Canvas& canvas, const Plan& plan, Model& model, const TableRow& row,
                         float y) {
  const Theme& theme = canvas.theme;
  if (row.component >= model.snapshot->components.size()) return;
  const auto& component = model.snapshot->components[row.component];
  const bool whole = row.operation == TableRow::kWhole;
  if (!whole && row.operation >= component.operations.size()) return;
  const ImVec2 min{canvas.min.x, y}, max{canvas.max.x, y + canvas.px(kRow)};
  const bool selected =
      model.selection.component == component.name &&
      (whole ? model.selection.operation.empty()
             : model.selection.operation == component.operations[row.operation].name);
  ImGui::SetCursorScreenPos({min.x + canvas.px(32), min.y});
  if (ImGui::InvisibleButton("row", {max.x - min.x - canvas.px(32), max.y - min.y})) {
    model.selection = {component.name, whole ? "" : component.operations[row.operation].name, {}};
  }
  if (selected) {
    canvas.list->AddRectFilled(min, max, with_alpha(theme.blue_fill, 0.22f));
    canvas.list->AddRectFilled(min, {min.x + canvas.px(3), max.y}, theme.blue);
  } else if (ImGui::IsItemHovered()) {
    canvas.list->AddRectFilled(min, max, with_alpha(theme.blue, 0.07f));
  }
  draw_name(canvas, plan, model, row, y);
  if (!whole) {
    const auto& operation = component.operations[row.operation];
    draw_figures(canvas, plan, model, operation.figures,
                 operation.exit_mode != snapshot::ExitMode::kRefused, true, y);
    return;
  }
  const Eased& eased = model.eased_of(component.name);
  if (plan.spark_right > plan.spark_left)
    draw_sparkline(canvas, model, component.name, {plan.spark_left, y + canvas.px(4)},
                   {plan.spark_right, max.y - canvas.px(4)});
  // A bar of hotness under its number, so that the hottest is found without reading.
  for (const Column& column : plan.columns)
    if (table_columns()[column.index].term == Term::kHotness) {
      const float width =
          canvas.px(table_columns()[column.index].width - 12) * float(eased.hotness / 100);
      if (width >= 1)
        canvas.list->AddRectFilled(
            {column.right - width, max.y - canvas.px(5)}, {column.right, max.y - canvas.px(3)},
            heat_of(theme, model, component.name, std::max(40.0, eased.hotness)), canvas.px(1));
    }
  draw_figures(canvas, plan, model, component.figures,
               component.status != snapshot::Status::kRefused, false, y);
}

}  // namespace

std::unique_ptr<View> make_table_view() { return std::make_unique<TableView>(); }

}  // namespace compmond::ui
