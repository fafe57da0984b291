// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "text/clean.h"
#include "text/numbers.h"
#include "ui/kit/draw.h"
#include "ui/views/shared/heat.h"
#include "ui/views/shared/operation_name.h"
#include "ui/views/trace_timing/trace_timing.h"

namespace compmond::ui {
namespace {

constexpr float kTickApart = 84;  // design pixels

}  // namespace

void TraceTimingView::bar_rect(const Frame& frame, const diagrams::TraceBar& bar, ImVec2& min,
                               ImVec2& max) const {
  const geometry::Rect box = frame.rows.box(bar);
  min = {std::max(float(box.x0), frame.left - 20), frame.y(box.y0, scroll_)};
  max = {std::min(float(box.x1), frame.right + 20), frame.y(box.y1, scroll_)};
}

void TraceTimingView::draw_axis(const Frame& frame) const {
  const Canvas& canvas = frame.canvas;
  const Theme& theme = canvas.theme;
  canvas.list->AddRectFilled({canvas.min.x, frame.top - canvas.px(kTraceAxis)},
                             {canvas.max.x, frame.top}, theme.panel);
  canvas.list->AddLine({canvas.min.x, frame.top}, {canvas.max.x, frame.top}, theme.line);
  const float y = frame.top - theme.mono_small->FontSize - canvas.px(7);
  draw_text(canvas.list, theme.small, {canvas.min.x + canvas.px(14), y}, theme.dim, "in the trace",
            frame.left - canvas.min.x - canvas.px(24));
  const uint64_t step = geometry::tick_step(frame.axis, canvas.px(kTickApart));
  for (const uint64_t tick : geometry::ticks(frame.axis, step, frame.trace.row.start_ns)) {
    const auto x = float(std::round(frame.axis.px(tick)));
    if (x < frame.left || x > frame.right) continue;
    canvas.list->AddLine({x, frame.top - canvas.px(5)}, {x, frame.top}, theme.dim);
    canvas.list->AddLine({x, frame.top}, {x, frame.bottom}, with_alpha(theme.line, 0.6f));
    const std::string text = text::duration(shown_.since_start(tick));
    const float width = text_size(theme.mono_small, text).x;
    const float at =
        std::clamp(x - width / 2, frame.left, std::max(frame.left, canvas.max.x - width - 2));
    draw_text(canvas.list, theme.mono_small, {at, y}, theme.dim, text);
  }
}

void TraceTimingView::draw_rows(const Frame& frame, Model& model) const {
  const Canvas& canvas = frame.canvas;
  const Theme& theme = canvas.theme;
  for (size_t row = 0; row < layout_.rows.size(); ++row) {
    const auto height = float(frame.rows.height);
    const float y = frame.y(frame.rows.top(row), scroll_);
    if (y + height < frame.top || y > frame.bottom) continue;
    const auto& operation = frame.trace.operations[layout_.rows[row]];
    const bool selected = model.selection.component == operation.component &&
                          model.selection.operation == operation.name;
    if (selected)
      canvas.list->AddRectFilled({canvas.min.x, y}, {canvas.max.x, y + height},
                                 with_alpha(theme.blue_fill, 0.16f));
    canvas.list->AddLine({canvas.min.x, y + height}, {canvas.max.x, y + height},
                         with_alpha(theme.line, 0.7f));
    const float x = canvas.min.x + canvas.px(14), room = frame.left - x - canvas.px(8);
    const bool found = model.found(operation.component) || model.found(operation.name);
    draw_text(canvas.list, theme.bold, {x, y + canvas.px(2)}, found ? theme.strong : theme.dim,
              short_operation(operation.name), room);
    draw_text(canvas.list, theme.small, {x, y + height - theme.small->FontSize - canvas.px(3)},
              theme.dim, model.name_of(operation.component), room, model.short_names);
    if (hovered_ && ImGui::IsMouseHoveringRect({canvas.min.x, y}, {frame.left, y + height}))
      tooltip(theme, text::clean(operation.component), text::clean(operation.name));
  }
}

void TraceTimingView::draw_calls(const Frame& frame) const {
  const Theme& theme = frame.canvas.theme;
  for (const auto& call : layout_.calls) {
    if (call.from == call.to || call.x < frame.left || call.x > frame.right) continue;
    const auto ends = frame.rows.ends(call);
    const float y0 = frame.y(ends.y0, scroll_), y1 = frame.y(ends.y1, scroll_);
    const auto x = float(std::round(call.x));
    const ImU32 colour = with_alpha(theme.text, picked_ == call.step ? 0.95f : 0.4f);
    frame.canvas.list->AddLine({x, y0}, {x, y1}, colour, frame.canvas.px(1));
    draw_head(frame.canvas.list,
              geometry::arrow_head({{x, y1}, {0, y1 > y0 ? 1.0 : -1.0}}, frame.canvas.px(5),
                                   frame.canvas.px(2.6f)),
              colour);
  }
}

void TraceTimingView::draw_bars(const Frame& frame, const Model& model) const {
  const Theme& theme = frame.canvas.theme;
  ImDrawList* list = frame.canvas.list;
  const ImU32 hue = full_hue(theme, model.settings);
  const ImU32 waiting = mix(theme.bar, theme.bar_line, 0.55f);
  for (size_t i = 0; i < layout_.bars.size(); ++i) {
    const auto& bar = layout_.bars[i];
    ImVec2 min, max;
    bar_rect(frame, bar, min, max);
    if (max.y < frame.top || min.y > frame.bottom || max.x < frame.left || min.x > frame.right)
      continue;
    list->AddRectFilled(min, max, hue, frame.canvas.px(2));
    for (uint32_t w = bar.first_wait; w < bar.first_wait + bar.waits; ++w) {
      const float x0 = std::max(float(layout_.waits[w].x0), min.x);
      const float x1 = std::min(float(layout_.waits[w].x1), max.x);
      if (x1 > x0) list->AddRectFilled({x0, min.y}, {x1, max.y}, waiting);
    }
    const auto& step = frame.trace.steps[bar.step];
    if (step.failed)
      draw_hatch(list, {std::max(min.x, max.x - frame.canvas.px(10)), min.y}, max, theme.red,
                 frame.canvas.px(5));
    const bool marked = picked_ == bar.step || pointed_bar_ == i;
    list->AddRect(min, max, marked ? theme.blue : with_alpha(theme.dim, 0.45f), frame.canvas.px(2),
                  0, frame.canvas.px(picked_ == bar.step ? 2 : 1));
  }
  for (const auto& fold : layout_.folds) {
    const geometry::Rect box = frame.rows.box(fold);
    const float y0 = frame.y(box.y0, scroll_), y1 = frame.y(box.y1, scroll_);
    if (y1 < frame.top || y0 > frame.bottom) continue;
    // As solid as it is dense, linear from nothing but for the palest that can be seen.
    const double span = std::max(1.0, double(fold.end_ns - fold.start_ns));
    const auto alpha = float(std::clamp(double(fold.raw_ns) / span, 0.08, 1.0));
    list->AddRectFilled({float(box.x0), y0}, {float(box.x1), y1},
                        with_alpha(fold.failed ? theme.red : hue, alpha));
  }
}

void TraceTimingView::draw_hover(const Frame& frame, const Model& model) const {
  if (pointed_bar_ && *pointed_bar_ < layout_.bars.size()) {
    step_tooltip(frame.canvas.theme, model, frame.trace, layout_.bars[*pointed_bar_].step,
                 "Click selects; a double click shows its place on the timeline.");
  } else if (pointed_fold_ && *pointed_fold_ < layout_.folds.size()) {
    const auto& fold = layout_.folds[*pointed_fold_];
    const auto& operation = frame.trace.operation(frame.trace.steps[fold.step]);
    tooltip(
        frame.canvas.theme, full_name(operation.component, operation.name),
        fmt::format("{} in {}\nraw {}, real {} together", text::counted(fold.count, "execution"),
                    text::duration(double(fold.end_ns - fold.start_ns)),
                    text::duration(double(fold.raw_ns)), text::duration(double(fold.real_ns))),
        "Narrower than two pixels each. Click to zoom in.");
  }
}

}  // namespace compmond::ui
