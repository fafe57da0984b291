// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "ui/kit/draw.h"
#include "ui/views/markov/markov.h"

namespace compmond::ui {
namespace {

constexpr float kNameZoom = 0.32f, kBothZoom = 0.7f;
constexpr double kLeastZoom = 0.5;          // at first: names can be read
constexpr double kSayArrangingAfter = 0.4;  // s; shorter waits need no words
constexpr float kAbsent = 0.6f;             // towards the ground: not in this window, or not found

constexpr float kControls = 64;  // design pixels above the graph

layout::MapStyle style_of(const Canvas& canvas) {
  layout::MapStyle style;
  style.box_width = 176;
  style.box_height = 44;
  style.gap_x = 60;
  style.gap_y = 20;
  style.area_width = canvas.width() / canvas.theme.scale;
  style.area_height = canvas.height() / canvas.theme.scale - kControls;
  return style;
}

}  // namespace

void MarkovView::place(const Canvas& canvas, const Model& model) {
  // At the left, with the message that traces begin with.
  const auto& states = data_.states;
  const auto first = std::find_if(states.begin(), states.end(), [](const auto& state) {
    return state.call && state.from.component.empty();
  });
  if (first != states.end()) pane_.begin_at(int(first - states.begin()), kLeastZoom);
  pane_.show(data_.graph.graph(), style_of(canvas), model.clock_s);
}

void MarkovView::draw_graph(const Canvas& canvas, float top, float bottom, Model& model) {
  if (!pane_.ready()) {
    if (pane_.waiting_s(model.clock_s) > kSayArrangingAfter)
      draw_empty(canvas.list, canvas.theme, {canvas.min.x, top}, {canvas.max.x, bottom},
                 fmt::format("Arranging {} states.", data_.states.size()), "");
    return;
  }
  const auto& scene = pane_.scene();
  shown_boxes_.assign(scene.boxes.size(), 1);
  const auto at = pane_.point(canvas, {canvas.min.x, top}, {canvas.max.x, bottom}, shown_boxes_,
                              shown_lines_, model.clock_s);
  const GraphSight sight = pane_.sight(canvas);
  canvas.list->PushClipRect({canvas.min.x, top}, {canvas.max.x, bottom}, true);
  draw_lines(sight, at);
  for (size_t n = 0; n < scene.boxes.size(); ++n)
    if (sight.visible(scene.boxes[n])) draw_state(sight, n, at.node == int(n), model);
  labels_.draw(sight);
  canvas.list->PopClipRect();
  if (at.node >= 0)
    state_tooltip(canvas, size_t(at.node));
  else if (at.edge >= 0)
    transition_tooltip(canvas, data_.transitions[size_t(at.edge)]);
  if (at.clicked) choose(at.node == chosen_ ? -1 : at.node, model);
}

void MarkovView::draw_lines(const GraphSight& sight, const GraphPane::Pointed& at) {
  const Theme& theme = sight.canvas.theme;
  const auto& scene = pane_.scene();
  const float scale = std::clamp(sight.zoom(), 0.35f, 1.4f);
  const int touching = at.node >= 0 ? at.node : chosen_;
  std::vector<size_t> lines, boxes;
  std::vector<LineLabels::Wish> wishes;
  for (size_t e = 0; e < shown_lines_.size(); ++e) {
    if (!shown_lines_[e]) continue;
    lines.push_back(e);
    const auto& transition = data_.transitions[e];
    const auto likely = float(transition.probability);
    const bool touched =
        at.edge == int(e) ||
        (touching >= 0 && (touching == transition.from || touching == transition.to));
    const std::string text = probability_text(transition.probability);
    wishes.push_back({e, text, text, touched ? theme.strong : theme.dim});
    if (!sight.visible(geometry::bounds(scene.curves[e]).grown(1))) continue;
    // The unlikelier, the thinner and the fainter.
    const ImU32 ink = touched ? theme.text : mix(theme.faint, theme.dim, 0.55f);
    draw_graph_line(sight, scene.lines[e],
                    {touched ? ink : mix(theme.background, ink, 0.35f + 0.65f * likely),
                     sight.canvas.px(1 + 2.6f * likely) * scale, false});
  }
  for (size_t n = 0; n < scene.boxes.size(); ++n) boxes.push_back(n);
  labels_.place(sight, scene, pane_.revision(), boxes, lines, wishes);
}

void MarkovView::draw_state(const GraphSight& sight, size_t state, bool hovered,
                            const Model& model) const {
  const auto& s = data_.states[state];
  const Theme& theme = sight.canvas.theme;
  ImDrawList* list = sight.canvas.list;
  const geometry::Rect& box = pane_.scene().boxes[state];
  const ImVec2 min = sight.screen({box.x0, box.y0}), max = sight.screen({box.x1, box.y1});
  const float rounding = sight.canvas.px(s.call ? 7 : 22) * std::min(1.0f, sight.zoom());
  const bool faded = !s.present || !found(s, model);
  // Calls are filled, returns are outlines.
  const ImU32 fill = s.call ? theme.bar : theme.background;
  list->AddRectFilled(min, max, faded ? mix(fill, theme.background, kAbsent) : fill, rounding);
  list->AddRect(min, max, theme.bar_line, rounding, 0, sight.canvas.px(1));
  if (chosen_ == int(state) || hovered) {
    const float out = sight.canvas.px(2);
    list->AddRect({min.x - out, min.y - out}, {max.x + out, max.y + out},
                  with_alpha(theme.blue, chosen_ == int(state) ? 1 : 0.5f), rounding + out, 0,
                  sight.canvas.px(2));
  }
  if (sight.zoom() < kNameZoom) return;
  const float pad = sight.canvas.px(s.call ? 10 : 14) * std::min(1.0f, sight.zoom());
  const float room = max.x - min.x - 2 * pad;
  const ImU32 ink = faded ? theme.dim : theme.strong;
  if (sight.zoom() < kBothZoom) {
    draw_text(list, theme.small, {min.x + pad, (min.y + max.y - theme.small->FontSize) / 2}, ink,
              (s.call ? "→ " : "← ") + markov_end(s.to), room);
    return;
  }
  const float gap = (max.y - min.y - theme.bold->FontSize - theme.small->FontSize) / 3;
  std::string above = markov_end(s.from) + (s.call ? " calls" : " returns to");
  // Filled and round boxes tell a call from a return, too.
  if (text_size(theme.small, above).x > room) above = "from " + markov_end(s.from);
  if (s.itself_count > 0) above += ", itself " + probability_text(s.itself);
  draw_text(list, theme.small, {min.x + pad, min.y + gap}, theme.dim, above, room);
  draw_text(list, theme.bold, {min.x + pad, min.y + 2 * gap + theme.small->FontSize}, ink,
            markov_end(s.to), room);
}

}  // namespace compmond::ui
