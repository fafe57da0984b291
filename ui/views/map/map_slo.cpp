// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "text/numbers.h"
#include "ui/kit/draw.h"
#include "ui/views/map/map_frame.h"
#include "ui/views/shared/slo.h"

namespace compmond::ui {
namespace {

constexpr float kCountFrom = 0.5f;  // zoom from which on there is room for a number

void draw_badge(const MapFrame& frame, const geometry::Rect& box, uint64_t count) {
  const Theme& theme = frame.canvas.theme;
  ImDrawList* list = frame.canvas.list;
  const ImVec2 corner = frame.screen({box.x1, box.y0});
  const float size = frame.canvas.px(9);
  if (frame.zoom() < kCountFrom) {
    const float small = size * std::max(0.6f, frame.zoom() / kCountFrom);
    return draw_missed_mark(list, theme, {corner.x - small / 2, corner.y + small}, small);
  }
  const std::string text = text::short_count(double(count));
  const float pad = frame.canvas.px(6), mark = size + frame.canvas.px(5);
  const float width = text_size(theme.small, text).x + mark + 2 * pad;
  const float height = theme.small->FontSize + frame.canvas.px(5);
  const ImVec2 min{corner.x - width - frame.canvas.px(8), corner.y - height / 2},
      max{min.x + width, min.y + height};
  list->AddRectFilled(min, max, theme.background, height / 2);
  list->AddRect(min, max, theme.red, height / 2, 0, frame.canvas.px(1.5f));
  draw_missed_mark(list, theme, {min.x + pad + size / 2, (min.y + max.y + size) / 2}, size);
  draw_text(list, theme.small, {min.x + pad + mark, min.y + frame.canvas.px(2.5f)}, theme.red,
            text);
}

}  // namespace

void draw_map_violations(const MapFrame& frame) {
  for (size_t n = 0; n < frame.scene.boxes.size(); ++n) {
    const geometry::Rect& box =
        frame.scene.boxes[n].empty() ? frame.frames[n] : frame.scene.boxes[n];
    const uint64_t count = violations(frame.component(n).figures);
    if (count > 0 && frame.shown[n] && !box.empty() && frame.visible(box))
      draw_badge(frame, box, count);
  }
}

}  // namespace compmond::ui
