// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "text/numbers.h"
#include "ui/kit/draw.h"
#include "ui/model/run_time.h"
#include "ui/model/switching.h"
#include "ui/views/shared/empty.h"
#include "ui/views/shared/heat.h"
#include "ui/views/shared/slo.h"
#include "ui/views/timing/timing_frame.h"

namespace compmond::ui {
namespace {

constexpr float kTickApart = 58;      // design pixels
constexpr float kPalestFold = 0.35f;  // of a fold: there was something

bool in_plot(const TimingFrame& frame, double x0, double x1, double y0, double y1) {
  return x1 >= frame.left && x0 <= frame.right && y1 >= frame.top && y0 <= frame.bottom;
}

ImVec2 at(double x, double y) { return {float(x), float(y)}; }

struct Span {
  double y0, y1;
};

// Bars may be hours long and a millimetre visible: what is drawn stays near the plot.
Span clipped(const TimingFrame& frame, double y0, double y1) {
  return {std::max(y0, double(frame.top) - 20), std::min(y1, double(frame.bottom) + 20)};
}

void draw_bar(const TimingFrame& frame, const diagrams::TimingBar& bar, ImU32 hue) {
  const Theme& theme = frame.canvas.theme;
  ImDrawList* list = frame.canvas.list;
  const auto& execution = frame.view.executions[bar.execution];
  const bool running = execution.closed == snapshot::Ending::kOpen;
  const ImU32 own = running ? theme.green : hue;
  const bool fine = bar.x1 - bar.x0 >= 6 && bar.y1 - bar.y0 >= 6;
  const float rounding = fine ? frame.canvas.px(2) : 0;
  const Span all = clipped(frame, bar.y0, bar.y1);
  list->AddRectFilled(at(bar.x0, all.y0), at(bar.x1, all.y1), own, rounding);
  for (uint32_t w = bar.first_wait; w < bar.first_wait + bar.waits; ++w) {
    const diagrams::TimingWait& wait = frame.layout.waits[w];
    const Span part = clipped(frame, std::max(wait.y0, bar.y0), std::min(wait.y1, bar.y1));
    if (part.y1 <= part.y0) continue;
    list->AddRectFilled(at(bar.x0, part.y0), at(bar.x1, part.y1),
                        mix(own, mix(theme.bar, theme.bar_line, 0.55f), float(wait.share)));
  }
  const float gap = frame.canvas.px(6);
  if (execution.closed == snapshot::Ending::kLossy) {
    draw_hatch(list, at(bar.x0, all.y0), at(bar.x1, all.y1), theme.amber, gap);
  } else if (const ImU32 ink = ink_of_end(theme, execution.closed); ink != 0) {
    // Only its end is unusual.
    const double from = std::max(all.y0, all.y1 - frame.canvas.px(10));
    draw_hatch(list, at(bar.x0, from), at(bar.x1, all.y1), ink, gap);
  }
  if (fine)
    list->AddRect(at(bar.x0, all.y0), at(bar.x1, all.y1),
                  running ? theme.green : with_alpha(theme.dim, 0.45f), rounding);
}

// The part above its objective is edged, from a mark on.
void draw_missed(const TimingFrame& frame, const diagrams::TimingBar& bar) {
  const Theme& theme = frame.canvas.theme;
  const Span above = clipped(frame, *bar.y_missed, bar.y1);
  const float edge = frame.canvas.px(2);
  frame.canvas.list->AddRect(at(bar.x0 - edge / 2, above.y0), at(bar.x1 + edge / 2, above.y1),
                             theme.red, 0, 0, edge);
  draw_missed_mark(frame.canvas.list, theme, at((bar.x0 + bar.x1) / 2, above.y0 - 1),
                   frame.canvas.px(7));
}

void draw_fold(const TimingFrame& frame, const diagrams::TimingFold& fold, ImU32 hue) {
  // Without outline, and as wide as it is busy, linear from nothing; below a pixel it pales.
  // Opaque, so that what one operation and another did does not look like more than both.
  const double full = fold.x1 - fold.x0, wide = full * fold.utilisation, least = frame.canvas.px(1),
               half = std::max(wide, least) / 2, middle = (fold.x0 + fold.x1) / 2;
  const Span span = clipped(frame, fold.y0, fold.y1);
  const ImU32 ink = mix(frame.canvas.theme.background, hue,
                        float(std::clamp(wide / least, double(kPalestFold), 1.0)));
  frame.canvas.list->AddRectFilled(at(middle - half, span.y0), at(middle + half, span.y1), ink);
  if (fold.uncertain)
    frame.canvas.list->AddRectFilled(at(fold.x1 - 0.18 * full, span.y0), at(fold.x1, span.y1),
                                     frame.canvas.theme.amber);
  if (fold.violations > 0)
    draw_missed_mark(frame.canvas.list, frame.canvas.theme,
                     at(fold.x0 - frame.canvas.px(4), span.y0 + frame.canvas.px(4)),
                     frame.canvas.px(7));
}

}  // namespace

void draw_timing_axis(const TimingFrame& frame) {
  const Theme& theme = frame.canvas.theme;
  ImDrawList* list = frame.canvas.list;
  const uint64_t step = geometry::tick_step(frame.axis, frame.canvas.px(kTickApart));
  for (const uint64_t tick : geometry::ticks(frame.axis, step, frame.model.run.start_ns)) {
    const auto y = float(std::round(frame.axis.px(tick)));
    if (y < frame.top || y > frame.bottom) continue;
    list->AddLine({frame.left, y}, {frame.right, y}, with_alpha(theme.line, 0.6f));
    list->AddLine({frame.left - frame.canvas.px(6), y}, {frame.left, y}, theme.dim);
    const float half = theme.mono_small->FontSize / 2;
    if (y - half < frame.top || y + half > frame.bottom) continue;  // half a label is none
    draw_text_right(list, theme.mono_small, {frame.left - frame.canvas.px(10), y - half}, theme.dim,
                    moment_text(frame.model, tick, double(step)));
  }
  for (size_t c = 0; c < frame.columns.size(); ++c) {
    const float x = std::round(frame.column_centre(c));
    if (x < frame.left || x > frame.right) continue;
    draw_dashed(list, {x, frame.top}, {x, frame.bottom}, with_alpha(theme.faint, 0.7f),
                frame.canvas.px(1), frame.canvas.px(4));
  }
}

void draw_timing_bars(const TimingFrame& frame) {
  const Theme& theme = frame.canvas.theme;
  std::vector<ImU32> hues;  // per column
  for (const std::string& path : frame.columns)
    hues.push_back(full_hue_of(theme, frame.model, path));
  draw_timing_away(frame);
  draw_timing_samples(frame, hues);
  for (const auto& bar : frame.layout.bars)
    if (in_plot(frame, bar.x0, bar.x1, bar.y0, bar.y1))
      draw_bar(frame, bar, hues[size_t(bar.column)]);
  for (const auto& fold : frame.layout.folds)
    if (in_plot(frame, fold.x0, fold.x1, fold.y0, fold.y1))
      draw_fold(frame, fold, hues[size_t(fold.column)]);
  for (const auto& bar : frame.layout.bars)
    if (bar.y_missed && in_plot(frame, bar.x0, bar.x1, *bar.y_missed, bar.y1))
      draw_missed(frame, bar);
  const auto outline = [&](const diagrams::TimingBar& bar, ImU32 colour) {
    const Span all = clipped(frame, bar.y0, bar.y1);
    const float out = frame.canvas.px(1.5f);
    frame.canvas.list->AddRect(at(bar.x0 - out, all.y0 - out), at(bar.x1 + out, all.y1 + out),
                               colour, frame.canvas.px(3), 0, frame.canvas.px(2));
  };
  if (frame.hovered_bar)
    outline(frame.layout.bars[*frame.hovered_bar], with_alpha(theme.blue, 0.6f));
  const auto& selected = frame.model.selection.execution;
  if (!selected) return;
  for (const auto& bar : frame.layout.bars)
    if (same_execution(frame.view.executions[bar.execution], selected->execution))
      outline(bar, theme.blue);
}

void draw_timing_arrows(const TimingFrame& frame) {
  const Theme& theme = frame.canvas.theme;
  ImDrawList* list = frame.canvas.list;
  for (const auto& arrow : frame.layout.arrows) {
    if (!in_plot(frame, std::min(arrow.x0, arrow.x1), std::max(arrow.x0, arrow.x1), arrow.y,
                 arrow.y))
      continue;
    const ImU32 colour = with_alpha(theme.text, arrow.returns ? 0.55f : 0.8f);
    const ImVec2 from = at(arrow.x0, arrow.y), to = at(arrow.x1, arrow.y);
    if (arrow.returns)
      draw_dashed(list, from, to, colour, frame.canvas.px(1), frame.canvas.px(3));
    else
      list->AddLine(from, to, colour, frame.canvas.px(1));
    const float back = frame.canvas.px(to.x > from.x ? -5.0f : 5.0f);
    const float half = frame.canvas.px(2.6f);
    list->AddTriangleFilled(to, {to.x + back, to.y - half}, {to.x + back, to.y + half}, colour);
  }
}

namespace {

// Where the line of now is; none: not in the picture.
std::optional<float> now_at(const TimingFrame& frame) {
  const auto y = float(std::round(frame.axis.px(frame.model.now_ns())));
  if (!frame.model.moves() || y < frame.top || y > frame.bottom) return std::nullopt;
  return y;
}

}  // namespace

void draw_timing_now(const TimingFrame& frame) {
  const Theme& theme = frame.canvas.theme;
  const auto y = now_at(frame);
  if (!y) return;
  frame.canvas.list->AddLine({frame.left, *y}, {frame.right, *y}, theme.green,
                             frame.canvas.px(1.5f));
  const float gap = frame.canvas.px(2), high = theme.small->FontSize;
  const float text = *y + gap + high <= frame.bottom ? *y + gap : *y - gap - high;
  draw_text_right(frame.canvas.list, theme.small, {frame.right - frame.canvas.px(6), text},
                  theme.green, "now");
}

void draw_timing_notes(const TimingFrame& frame) {
  const Theme& theme = frame.canvas.theme;
  // Above the line of now, where that is near.
  const float above = frame.bottom - frame.canvas.px(24);
  const auto now = now_at(frame);
  float y = (now && *now > above ? *now : frame.bottom) - frame.canvas.px(6);
  const auto note = [&](ImU32 colour, const std::string& text) {
    y -= theme.small->FontSize + frame.canvas.px(3);
    const float x = frame.left + frame.canvas.px(8);
    const float width = std::min(text_size(theme.small, text).x, frame.right - x);
    frame.canvas.list->AddRectFilled({x - 3, y}, {x + width + 3, y + theme.small->FontSize},
                                     with_alpha(theme.background, 0.85f), 3);
    draw_text(frame.canvas.list, theme.small, {x, y}, colour, text, frame.right - x);
  };
  if (frame.view.left_out > 0)
    note(theme.amber, fmt::format("the {} shortest executions are left out: zoom in to see them",
                                  text::count(frame.view.left_out)));
  if (frame.unasked_from())
    note(theme.amber, "hatched: not asked for before the connection was lost");
  if (frame.view.partial)
    note(theme.amber, "executions from the beginning of this window are no longer kept");
  if (frame.layout.crowded > 0)
    note(theme.amber, "more threads at once than lanes fit: the last lane is shared");
  if (!frame.view.away.empty())
    note(theme.dim, fmt::format("shaded: probes were {}{}",
                                why_away(frame.model.snapshot->health,
                                         {frame.view.start_ns, frame.view.end_ns}),
                                frame.view.sampled.empty() ? ", what was executed is not known"
                                                           : "; pale: busy by samples, no calls"));
  if (frame.unseen > 0)
    note(theme.dim, fmt::format("{} left out: no execution was seen, probes were away for a part",
                                text::counted(frame.unseen, "component")));
  if (frame.quiet > 0)
    note(theme.dim, text::counted(frame.quiet, "component") + " without executions left out");
  if (!frame.layout.bars.empty() || !frame.layout.folds.empty() || !frame.view.sampled.empty())
    return;
  std::string text = no_calls_text(frame.model);
  if (!frame.view.away.empty() && !frame.model.snapshot->health.probes_paused)
    text = "No execution was seen in this part of time: probes were away.";
  if (text.empty()) text = "No execution in this part of time.";
  draw_empty(frame.canvas.list, theme, {frame.left, frame.top}, {frame.right, frame.bottom}, text,
             "Drag or zoom out with the wheel; L follows now.");
}

}  // namespace compmond::ui
