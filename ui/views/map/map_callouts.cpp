// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "text/clean.h"
#include "text/match.h"
#include "ui/kit/draw.h"
#include "ui/views/map/box_words.h"
#include "ui/views/shared/heat.h"

namespace compmond::ui {

void draw_map_callouts(const MapFrame& frame) {
  constexpr size_t kMost = 5;
  if (box_detail(frame.zoom()) > BoxDetail::kColour) return;
  const Theme& theme = frame.canvas.theme;
  std::vector<size_t> hottest;
  for (size_t n = 0; n < frame.scene.boxes.size(); ++n)
    if (frame.shown[n] && !frame.scene.boxes[n].empty() && frame.component(n).figures.hotness > 0 &&
        frame.model.found(frame.component(n).name) && frame.visible(frame.scene.boxes[n]))
      hottest.push_back(n);
  const size_t most = std::min(kMost, hottest.size());
  std::partial_sort(
      hottest.begin(), hottest.begin() + long(most), hottest.end(), [&](size_t a, size_t b) {
        return frame.component(a).figures.hotness > frame.component(b).figures.hotness;
      });
  std::vector<geometry::Rect> taken;
  for (size_t i = 0; i < most; ++i) {
    const size_t n = hottest[i];
    const geometry::Rect& box = frame.scene.boxes[n];
    const std::string name =
        ellipsized(theme.bold, text::clean(text::leaf(frame.component(n).name)),
                   frame.canvas.px(180), frame.model.short_names);
    const std::string time = box_time_text(frame, n);
    const float pad = frame.canvas.px(7), gap = frame.canvas.px(8);
    const float width =
        text_size(theme.bold, name).x + gap + text_size(theme.mono, time).x + 2 * pad;
    const float height = theme.bold->FontSize + frame.canvas.px(8);
    // Above its box, below it where warnings stand there.
    const float apart = frame.canvas.px(5);
    ImVec2 tip = frame.screen({box.centre().x, box.y0});
    float y = tip.y - height - apart;
    const bool below = y < frame.canvas.min.y + frame.canvas.px(kMapTop);
    if (below) tip = frame.screen({box.centre().x, box.y1}), y = tip.y + apart;
    const float x =
        std::clamp(tip.x - width / 2, frame.canvas.min.x + pad,
                   std::max(frame.canvas.min.x + pad, frame.canvas.max.x - width - pad));
    const geometry::Rect place{x, y, double(x) + width, double(y) + height};
    if (std::any_of(taken.begin(), taken.end(),
                    [&](const auto& other) { return other.grown(3).overlaps(place); }))
      continue;
    taken.push_back(place);
    ImDrawList* list = frame.canvas.list;
    const auto& component = frame.component(n);
    const ImU32 hue = heat_of(theme, frame.model, component.name, component.figures.hotness);
    list->AddRectFilled({x, y}, {x + width, y + height}, theme.raised, frame.canvas.px(5));
    list->AddRect({x, y}, {x + width, y + height}, hue, frame.canvas.px(5), 0,
                  frame.canvas.px(1.5f));
    list->AddLine({tip.x, below ? y : y + height}, tip, hue, frame.canvas.px(1.5f));
    const float text_y = y + frame.canvas.px(4);
    draw_text(list, theme.bold, {x + pad, text_y}, theme.strong, name);
    draw_text_right(list, theme.mono, {x + width - pad, text_y}, theme.text, time);
  }
}

}  // namespace compmond::ui
