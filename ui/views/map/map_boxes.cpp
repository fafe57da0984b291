// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ui/kit/draw.h"
#include "ui/views/map/box_words.h"
#include "ui/views/map/map_ports.h"
#include "ui/views/shared/estimated.h"
#include "ui/views/shared/heat.h"

namespace compmond::ui {
namespace {

// Design pixels at the bottom of a box: what hatching and the parts on a CPU have to themselves,
// whether they are there or not, so that no word moves; and hatching of one with room for two
// lines.
constexpr float kBelowWords = 4.5f, kSmallHatch = 3;

void draw_glow(const MapFrame& frame, ImVec2 min, ImVec2 max, const BoxPaint& paint,
               float rounding) {
  if (paint.share < 0.3f) return;
  const float reach = frame.canvas.px(2.4f) * std::min(1.0f, frame.zoom());
  for (int ring = 1; ring <= 5; ++ring) {
    const float out = reach * (float(ring) - 0.5f);
    const float alpha = 0.34f * paint.share * (1 - float(ring - 1) / 5);
    frame.canvas.list->AddRect({min.x - out, min.y - out}, {max.x + out, max.y + out},
                               with_alpha(paint.fill, alpha), rounding + out, 0, reach + 0.5f);
  }
}

// Which part of its time was on a CPU, without a number: a line of which that part is bright.
void draw_cpu_share(const MapFrame& frame, size_t node, ImVec2 min, ImVec2 max, ImU32 ink) {
  const auto* of = estimated_of(frame.component(node));
  const auto share = of ? cpu_share(*of, frame.model.snapshot->health.samples) : std::nullopt;
  if (!share) return;
  const float middle = min.x + (max.x - min.x) * float(*share);
  frame.canvas.list->AddRectFilled(min, {middle, max.y}, with_alpha(ink, kOnCpuInk));
  frame.canvas.list->AddRectFilled({middle, min.y}, max, with_alpha(ink, kWaitingInk));
}

void draw_box(const MapFrame& frame, size_t node, BoxDetail detail) {
  const Theme& theme = frame.canvas.theme;
  ImDrawList* list = frame.canvas.list;
  const geometry::Rect& box = frame.scene.boxes[node];
  const auto& component = frame.component(node);
  const ImVec2 min = frame.screen({box.x0, box.y0}), max = frame.screen({box.x1, box.y1});
  const std::string& why = frame.doubts[node];
  const BoxPaint paint = box_paint(frame, node);
  if (detail == BoxDetail::kColour) {
    // Small boxes are drawn without outline, or there would be more line than box.
    list->AddRectFilled(min, max, paint.fill, frame.zoom() > 0.12f ? frame.canvas.px(2) : 0);
    if (paint.share < 0.02f && frame.zoom() > 0.12f) list->AddRect(min, max, theme.bar_line, 2);
    if (!why.empty())
      list->AddRectFilled({min.x, max.y - std::max(1.0f, (max.y - min.y) / 9)}, max,
                          with_alpha(theme.amber, 0.75f));
    draw_text_centred(list, theme.small, {(min.x + max.x) / 2, (min.y + max.y) / 2}, paint.strong,
                      name_alone(frame, node));
  } else {
    const float rounding = frame.canvas.px(7) * std::min(1.0f, frame.zoom());
    draw_glow(frame, min, max, paint, rounding);
    list->AddRectFilled(min, max, paint.fill, rounding);
    const bool small = detail == BoxDetail::kName;
    const float strip = small ? frame.canvas.px(kSmallHatch)
                              : frame.canvas.px(7) * std::clamp(frame.zoom(), 0.6f, 1.2f);
    if (!why.empty()) {
      const float side = rounding / 2;
      draw_hatch(list, {min.x + side, max.y - strip}, {max.x - side, max.y - 1}, theme.amber,
                 frame.canvas.px(7));
    }
    // Cold boxes are all alike; their own colour still tells them apart.
    if (frame.model.settings.hue == Hue::kComponents)
      list->AddRectFilled(min, {min.x + rounding / 2, max.y},
                          full_hue_of(theme, frame.model, component.name), rounding / 2,
                          ImDrawFlags_RoundCornersLeft);
    list->AddRect(min, max, why.empty() ? theme.bar_line : mix(theme.bar_line, theme.amber, 0.7f),
                  rounding, 0, frame.canvas.px(1));
    const float below = frame.canvas.px(small ? 0 : kBelowWords);
    if (why.empty() && !small && !frame.off[node] && estimated_of(component)) {
      const float inset = rounding + frame.canvas.px(2), edge = frame.canvas.px(2);
      draw_cpu_share(frame, node, {min.x + inset, max.y - below}, {max.x - inset, max.y - edge},
                     paint.strong);
    }
    draw_box_words(frame, node, min, {max.x, max.y - below}, paint, detail, !why.empty());
  }
  if (!frame.model.found(component.name))
    list->AddRectFilled({min.x - 1, min.y - 1}, {max.x + 1, max.y + 1},
                        with_alpha(theme.background, 1 - kDimmed), frame.canvas.px(7));
  const bool selected = frame.model.selection.component == component.name;
  if (selected || frame.hovered_node == int(node)) {
    const float out = frame.canvas.px(2);
    list->AddRect({min.x - out, min.y - out}, {max.x + out, max.y + out},
                  with_alpha(theme.blue, selected ? 1 : 0.5f), frame.canvas.px(9), 0,
                  frame.canvas.px(2));
  }
  draw_ports(frame, node);
}

}  // namespace

void draw_map_boxes(const MapFrame& frame) {
  const BoxDetail detail = box_detail(frame.zoom());
  std::vector<size_t> drawn;
  for (size_t n = 0; n < frame.scene.boxes.size(); ++n)
    if (frame.shown[n] && !frame.scene.boxes[n].empty() && frame.visible(frame.scene.boxes[n]))
      drawn.push_back(n);
  // The hottest last, so that no neighbour covers its glow.
  std::stable_sort(drawn.begin(), drawn.end(), [&](size_t a, size_t b) {
    return frame.component(a).figures.hotness < frame.component(b).figures.hotness;
  });
  for (const size_t n : drawn) draw_box(frame, n, detail);
}

}  // namespace compmond::ui
