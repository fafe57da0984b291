// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "text/numbers.h"
#include "ui/frame/time_scale/time_scale.h"
#include "ui/kit/draw.h"
#include "ui/model/run_time.h"

namespace compmond::ui {
namespace {

constexpr float kLine = 3;  // design pixels, below the rows
constexpr float kApart =
    4;  // likewise: closer to each other, slices are marks below the rows alone
constexpr float kLight = 0.13f;

// Of those that overlap a time.
std::string slices_text(const snapshot::StripView& strip, const Window& within) {
  size_t count = 0;
  double slow_down = 0;
  for (const auto& slice : strip.slices)
    if (slice.end_ns > within.start_ns && slice.start_ns < within.end_ns)
      ++count, slow_down += slice.slow_down;
  if (count == 0) return "";
  return fmt::format(
      "\nLight: {} in sight, in which some of them were observed for their calls, the target "
      "slowed to ×{:.1f}.",
      text::counted(count, "slice"), slow_down / double(count));
}

}  // namespace

// What is drawn has light gaps in slices, short times in which some of what is away was observed.
void TimeScale::draw_slices(const Canvas& canvas, const Geometry& at, const geometry::Axis& axis,
                            const Model& model) const {
  if (!model.strip || model.strip->slices.empty()) return;
  const auto& slices = model.strip->slices;
  const auto x = [&](uint64_t ns) { return float(axis.px(ns)); };
  const float apart = (x(slices.back().start_ns) - x(slices.front().start_ns)) /
                      float(std::max<size_t>(1, slices.size() - 1));
  const bool gaps = slices.size() == 1 || apart >= canvas.px(kApart);
  const Theme& theme = canvas.theme;
  const float bottom = at.bottom + canvas.px(kLine);
  canvas.list->PushClipRect({at.left, at.top}, {at.right, bottom}, true);
  for (const auto& slice : slices) {
    const float from = x(slice.start_ns), to = std::max(x(slice.end_ns), from + canvas.px(1));
    if (gaps)
      canvas.list->AddRectFilled({from, at.top}, {to, at.bottom}, with_alpha(theme.strong, kLight));
    canvas.list->AddRectFilled({from, at.bottom}, {to, bottom}, theme.strong);
  }
  canvas.list->PopClipRect();
}

// A line below the rows while the run was busy, with a mark at each change.
void TimeScale::draw_busy(const Canvas& canvas, const Geometry& at, const geometry::Axis& axis,
                          const Model& model) const {
  if (!model.snapshot || !model.snapshot->health.busy) return;
  const auto& busy = *model.snapshot->health.busy;
  const Theme& theme = canvas.theme;
  for (const auto& span : busy.spans) {
    const auto from = float(axis.px(span.start_ns)), to = float(axis.px(span.end_ns));
    if (to < at.left || from > at.right) continue;
    const float left = std::max(from, at.left),
                right = std::clamp(to, left + canvas.px(2), at.right);
    canvas.list->AddRectFilled({left, at.bottom}, {right, at.bottom + canvas.px(kLine)},
                               theme.faint);
    const bool lasts = busy.now && &span == &busy.spans.back();
    for (const float x : {from, to})
      if (x >= at.left && x <= at.right && !(lasts && x == to))
        canvas.list->AddLine({x, at.top}, {x, at.bottom + canvas.px(kLine)}, theme.dim);
    if (!ImGui::IsMouseHoveringRect({left, at.bottom - canvas.px(2)},
                                    {right, at.bottom + canvas.px(6)}))
      continue;
    const double length = double(span.end_ns - span.start_ns);
    tooltip(theme, fmt::format("busy for {}", text::duration(length)),
            fmt::format("Since {} probes of dear operations were away, to keep --max-overhead: "
                        "samples tell the times.{}",
                        moment_text(model, span.start_ns, length / 10),
                        model.strip ? slices_text(*model.strip, {span.start_ns, span.end_ns})
                                    : std::string()));
  }
}

}  // namespace compmond::ui
