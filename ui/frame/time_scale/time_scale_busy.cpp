// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "text/numbers.h"
#include "ui/frame/time_scale/time_scale.h"
#include "ui/kit/draw.h"
#include "ui/model/run_time.h"

namespace compmond::ui {

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
    canvas.list->AddRectFilled({left, at.bottom}, {right, at.bottom + canvas.px(3)}, theme.amber);
    const bool lasts = busy.now && &span == &busy.spans.back();
    for (const float x : {from, to})
      if (x >= at.left && x <= at.right && !(lasts && x == to))
        canvas.list->AddLine({x, at.top}, {x, at.bottom}, theme.amber);
    if (!ImGui::IsMouseHoveringRect({left, at.bottom - canvas.px(2)},
                                    {right, at.bottom + canvas.px(6)}))
      continue;
    const double length = double(span.end_ns - span.start_ns);
    tooltip(theme, fmt::format("busy for {}", text::duration(length)),
            fmt::format("Since {} probes of dear operations were away, to keep --max-overhead: "
                        "samples tell the times.",
                        moment_text(model, span.start_ns, length / 10)));
  }
}

}  // namespace compmond::ui
