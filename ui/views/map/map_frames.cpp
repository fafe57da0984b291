// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "text/clean.h"
#include "text/match.h"
#include "ui/kit/draw.h"
#include "ui/views/map/map_frame.h"
#include "ui/views/shared/estimated.h"

namespace compmond::ui {
void draw_map_frames(const MapFrame& frame) {
  const Theme& theme = frame.canvas.theme;
  ImDrawList* list = frame.canvas.list;
  for (size_t n = 0; n < frame.frames.size(); ++n) {
    const geometry::Rect& around = frame.frames[n];
    if (around.empty() || !frame.visible(around)) continue;
    const ImVec2 min = frame.screen({around.x0, around.y0}),
                 max = frame.screen({around.x1, around.y1});
    const float rounding = frame.canvas.px(9) * std::min(1.0f, frame.zoom());
    draw_ground(list, min, max, mix(theme.background, theme.panel, 0.75f), rounding);
    list->AddRect(min, max, theme.bar_line, rounding, 0, frame.canvas.px(1));
    const auto& component = frame.component(n);
    if (frame.model.selection.component == component.name || frame.hovered_node == int(n))
      list->AddRect(min, max, theme.blue, rounding, 0, frame.canvas.px(1.5f));
    if (frame.zoom() < 0.45f) continue;
    ImFont* font = frame.zoom() < 0.76f ? theme.small : theme.bold;
    const float pad = frame.canvas.px(10);
    const auto title = float(frame.style.frame_title * frame.camera.zoom);
    const float y = min.y + (title - font->FontSize) / 2;
    const std::string figures = inside_text(component, frame.model.snapshot->health.samples);
    const float room = max.x - min.x - 2 * pad;
    const float wide = text_size(theme.small, figures).x;
    const std::string name = text::clean(text::leaf(component.name));
    const float name_room = room - wide - pad;
    const bool both = name_room > std::min(frame.canvas.px(60), text_size(font, name).x);
    draw_text(list, font, {min.x + pad, y}, theme.text, name, both ? name_room : room,
              frame.model.short_names);
    if (both)
      draw_text_right(list, theme.small, {max.x - pad, min.y + (title - theme.small->FontSize) / 2},
                      theme.dim, figures);
  }
}

}  // namespace compmond::ui
