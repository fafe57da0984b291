// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "text/numbers.h"
#include "ui/frame/time_scale/time_scale.h"
#include "ui/views/shared/slo.h"

namespace compmond::ui {

// Triangles below the rows, at the times at which executions that missed their objective ended.
// Where they would touch each other there is one.
void TimeScale::draw_violations(const Canvas& canvas, const Geometry& at,
                                const geometry::Axis& axis, const Model& model) const {
  if (!model.strip || model.strip->columns == 0) return;
  const auto& strip = *model.strip;
  const double column_ns = double(strip.end_ns - strip.start_ns) / strip.columns;
  std::vector<uint32_t> columns;
  for (const auto& one : strip.violations)
    if (one.component < strip.components.size() && one.column < strip.columns &&
        model.settings.shows(strip.components[one.component]))
      columns.push_back(one.column);
  std::sort(columns.begin(), columns.end());
  canvas.list->PushClipRect({at.left - canvas.px(5), at.top},
                            {at.right + canvas.px(5), canvas.max.y}, true);
  float free = at.left - canvas.px(10);
  for (const uint32_t column : columns) {
    const auto x = float(axis.px(strip.start_ns + uint64_t(column_ns * (double(column) + 0.5))));
    if (x < free) continue;
    draw_missed_mark(canvas.list, canvas.theme, {x, at.bottom + canvas.px(5)}, canvas.px(8));
    free = x + canvas.px(6);
  }
  canvas.list->PopClipRect();
}

std::string TimeScale::violations_text(const Model& model, uint32_t from, uint32_t to) const {
  std::string out;
  for (const auto& one : model.strip->violations)
    if (one.column >= from && one.column <= to && one.component < model.strip->components.size())
      out += fmt::format("\n{} missed the objective of {}", text::count(one.count),
                         model.name_of(model.strip->components[one.component]));
  return out;
}

}  // namespace compmond::ui
