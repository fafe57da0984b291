// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "text/clean.h"
#include "text/match.h"
#include "ui/kit/draw.h"
#include "ui/views/map/box_words.h"
#include "ui/views/shared/heat.h"

namespace compmond::ui {
namespace {

// Above its box, below it where there is no room: not on others nor, where boxes are named, on
// these.
std::optional<geometry::Rect> callout_at(const MapFrame& frame, const geometry::Rect& box,
                                         ImVec2 size, bool named,
                                         const std::vector<geometry::Rect>& taken) {
  const Canvas& canvas = frame.canvas;
  const float apart = canvas.px(5), pad = canvas.px(7);
  const auto is_free = [&](const geometry::Rect& place) {
    const auto met = [&](const geometry::Rect& other) { return other.overlaps(place); };
    if (std::ranges::any_of(taken, [&](const auto& other) { return met(other.grown(3)); }))
      return false;
    for (size_t n = 0; named && n < frame.scene.boxes.size(); ++n) {
      const geometry::Rect& other = frame.scene.boxes[n];
      if (!frame.shown[n] || other.empty()) continue;
      const ImVec2 min = frame.screen({other.x0, other.y0}),
                   max = frame.screen({other.x1, other.y1});
      if (met({min.x, min.y, max.x, max.y})) return false;
    }
    return true;
  };
  const ImVec2 above = frame.screen({box.centre().x, box.y0}),
               below = frame.screen({box.centre().x, box.y1});
  const float x = std::clamp(above.x - size.x / 2, canvas.min.x + pad,
                             std::max(canvas.min.x + pad, canvas.max.x - size.x - pad));
  for (const float y : {above.y - size.y - apart, below.y + apart}) {
    const geometry::Rect place{x, y, double(x) + size.x, double(y) + size.y};
    if (y < canvas.min.y + canvas.px(kMapTop) ||
        y + size.y > canvas.max.y - canvas.px(kMapBottom) || !is_free(place))
      continue;
    return place;
  }
  return std::nullopt;
}

}  // namespace

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
  for (const FrameName& name : frame_names(frame)) taken.push_back(name.at);
  for (size_t i = 0; i < most; ++i) {
    const size_t n = hottest[i];
    const geometry::Rect& box = frame.scene.boxes[n];
    // Its name stands in its box, where there is room.
    const bool named = !name_alone(frame, n).empty();
    const std::string name =
        named ? ""
              : ellipsized(theme.bold, text::clean(text::leaf(frame.component(n).name)),
                           frame.canvas.px(180), frame.model.short_names);
    const std::string time = box_time_text(frame, n);
    const float pad = frame.canvas.px(7), gap = name.empty() ? 0 : frame.canvas.px(8);
    const float width =
        text_size(theme.bold, name).x + gap + text_size(theme.mono, time).x + 2 * pad;
    const float height = theme.bold->FontSize + frame.canvas.px(8);
    const auto place = callout_at(frame, box, {width, height}, named, taken);
    if (!place) continue;
    taken.push_back(*place);
    const auto x = float(place->x0), y = float(place->y0);
    const bool below = y > frame.screen({box.x0, box.y0}).y;
    const ImVec2 tip = frame.screen({box.centre().x, below ? box.y1 : box.y0});
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
