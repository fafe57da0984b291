// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "text/clean.h"
#include "text/match.h"
#include "ui/kit/draw.h"
#include "ui/views/map/map_frame.h"
#include "ui/views/shared/estimated.h"

namespace compmond::ui {
namespace {

constexpr float kLeastTitle = 0.3f;  // of the height of a letter

bool is_shown(const MapFrame& frame, size_t node) {
  return !frame.frames[node].empty() && frame.visible(frame.frames[node]);
}

ImU32 frame_ground(const Theme& theme) { return mix(theme.background, theme.panel, 0.75f); }

ImFont* title_font(const MapFrame& frame) {
  return frame.zoom() < 0.76f ? frame.canvas.theme.small : frame.canvas.theme.bold;
}

}  // namespace

std::vector<FrameName> frame_names(const MapFrame& frame) {
  ImFont* font = title_font(frame);
  const auto strip = float(frame.style.frame_title * frame.camera.zoom);
  const float pad = std::min(frame.canvas.px(10), strip);
  std::vector<FrameName> out;
  if (strip < kLeastTitle * font->FontSize) return out;
  for (size_t n = 0; n < frame.frames.size(); ++n) {
    if (!is_shown(frame, n)) continue;
    const geometry::Rect& around = frame.frames[n];
    const ImVec2 min = frame.screen({around.x0, around.y0}),
                 max = frame.screen({around.x1, around.y1});
    const std::string name = ellipsized(font, text::clean(text::leaf(frame.component(n).name)),
                                        max.x - min.x - 2 * pad, frame.model.short_names);
    if (name.empty()) continue;
    // In the middle of its strip; where that is lower than a letter, from its bottom up.
    const float y = min.y + std::min((strip - font->FontSize) / 2, strip - font->FontSize);
    const geometry::Rect at{min.x + pad, y, double(min.x + pad) + text_size(font, name).x,
                            double(y) + font->FontSize};
    if (std::ranges::none_of(out, [&](const FrameName& other) { return other.at.overlaps(at); }))
      out.push_back({n, name, at});
  }
  return out;
}

void draw_map_frames(const MapFrame& frame) {
  const Theme& theme = frame.canvas.theme;
  ImDrawList* list = frame.canvas.list;
  for (size_t n = 0; n < frame.frames.size(); ++n) {
    if (!is_shown(frame, n)) continue;
    const geometry::Rect& around = frame.frames[n];
    const ImVec2 min = frame.screen({around.x0, around.y0}),
                 max = frame.screen({around.x1, around.y1});
    const float rounding = frame.canvas.px(9) * std::min(1.0f, frame.zoom());
    draw_ground(list, min, max, frame_ground(theme), rounding);
    list->AddRect(min, max, theme.bar_line, rounding, 0, frame.canvas.px(1));
    const auto& component = frame.component(n);
    if (frame.model.selection.component == component.name || frame.hovered_node == int(n))
      list->AddRect(min, max, theme.blue, rounding, 0, frame.canvas.px(1.5f));
  }
}

void draw_frame_heads(const MapFrame& frame) {
  const Theme& theme = frame.canvas.theme;
  ImDrawList* list = frame.canvas.list;
  const auto strip = float(frame.style.frame_title * frame.camera.zoom);
  // Lines pass behind.
  const auto clear = [&](ImVec2 from, ImVec2 to, ImU32 ground) {
    list->AddRectFilled({from.x - 2, from.y}, {to.x + 2, to.y}, ground);
  };
  for (const FrameName& name : frame_names(frame)) {
    const ImVec2 at{float(name.at.x0), float(name.at.y0)};
    const geometry::Rect& around = frame.frames[name.node];
    const ImVec2 min = frame.screen({around.x0, around.y0}),
                 max = frame.screen({around.x1, around.y1});
    const bool over_its_line = at.y < min.y;
    clear(at, {float(name.at.x1), float(name.at.y1)},
          over_its_line ? theme.background : frame_ground(theme));
    draw_text(list, title_font(frame), at, theme.text, name.text);
    const std::string figures =
        inside_text(frame.component(name.node), frame.model.snapshot->health.samples);
    const float right = max.x - frame.canvas.px(10),
                y = min.y + (strip - theme.small->FontSize) / 2;
    const float left = right - text_size(theme.small, figures).x;
    if (figures.empty() || y < min.y || left - frame.canvas.px(10) <= float(name.at.x1)) continue;
    clear({left, y}, {right, y + theme.small->FontSize}, frame_ground(theme));
    draw_text_right(list, theme.small, {right, y}, theme.dim, figures);
  }
}

}  // namespace compmond::ui
