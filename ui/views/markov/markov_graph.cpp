// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "text/numbers.h"
#include "ui/kit/draw.h"
#include "ui/views/markov/markov.h"

namespace compmond::ui {
namespace {

constexpr double kLeastZoom = 0.5;  // at first: names can be read

}  // namespace

void MarkovView::place(const Canvas& canvas, const Model& model) {
  // At the left, with the message that traces begin with.
  const auto& states = data_.states;
  const auto first = std::find_if(states.begin(), states.end(), [](const auto& state) {
    return state.call && state.from.component.empty();
  });
  if (first != states.end()) pane_.begin_at(int(first - states.begin()), kLeastZoom);
  layout::MapStyle boxes = style(canvas);
  boxes.box_width = 176;
  boxes.box_height = 44;
  boxes.gap_x = 60;
  boxes.gap_y = 20;
  pane_.show(data_.graph.graph(), boxes, model.clock_s);
}

void MarkovView::draw_states(const Canvas& canvas, float top, float bottom, Model& model) {
  shown_boxes_.assign(pane_.scene().boxes.size(), 1);
  const auto at = draw_graph(canvas, {canvas.min.x, top}, {canvas.max.x, bottom}, model);
  if (!at) return;
  if (at->node >= 0)
    state_tooltip(canvas, size_t(at->node), model);
  else if (at->edge >= 0)
    transition_tooltip(canvas, data_.transitions[size_t(at->edge)], model);
  if (at->clicked) choose(at->node == chosen_ ? -1 : at->node, model);
}

GraphView::LineLook MarkovView::look(size_t line, const GraphPane::Pointed& at,
                                     const Model&) const {
  const auto& transition = data_.transitions[line];
  const int touching = at.node >= 0 ? at.node : chosen_;
  const auto likely = float(transition.probability);
  LineLook out;
  out.touched = at.edge == int(line) ||
                (touching >= 0 && (touching == transition.from || touching == transition.to));
  out.text = out.brief = text::probability(transition.probability);
  // The unlikelier, the thinner and the fainter.
  out.width = 1 + 2.6f * likely;
  if (!out.touched) out.strength = 0.35f + 0.65f * likely;
  return out;
}

void MarkovView::draw_box(const GraphSight& sight, size_t state, bool hovered,
                          const Model& model) const {
  const auto& s = data_.states[state];
  const Theme& theme = sight.canvas.theme;
  ImDrawList* list = sight.canvas.list;
  const bool faded = !s.present || !found(s, model);
  // Calls are filled, returns are outlines.
  const ImU32 fill = s.call ? theme.bar : theme.background;
  const Box box =
      draw_body(sight, state, s.call ? 7 : 22, faded ? mix(fill, theme.background, kAbsent) : fill);
  const auto& [min, max, rounding] = box;
  if (chosen_ == int(state) || hovered) draw_rim(sight, box, chosen_ == int(state));
  if (sight.zoom() < kNameZoom) return;
  const float pad = sight.canvas.px(s.call ? 10 : 14) * std::min(1.0f, sight.zoom());
  const float room = max.x - min.x - 2 * pad;
  const ImU32 ink = faded ? theme.dim : theme.strong;
  if (sight.zoom() < kAllZoom) {
    const std::string_view way = s.call ? "→ " : "← ";
    const float wide = text_size(theme.small, way).x;
    const float y = (min.y + max.y - theme.small->FontSize) / 2;
    draw_text(list, theme.small, {min.x + pad, y}, ink, way);
    draw_text(list, theme.small, {min.x + pad + wide, y}, ink, markov_end(model, s.to), room - wide,
              model.short_names);
    return;
  }
  const float gap = (max.y - min.y - theme.bold->FontSize - theme.small->FontSize) / 3;
  std::string above = markov_end(model, s.from) + (s.call ? " calls" : " returns to");
  // Filled and round boxes tell a call from a return, too.
  if (text_size(theme.small, above).x > room) above = "from " + markov_end(model, s.from);
  if (s.itself_count > 0) above += ", itself " + text::probability(s.itself);
  draw_text(list, theme.small, {min.x + pad, min.y + gap}, theme.dim, above, room);
  draw_text(list, theme.bold, {min.x + pad, min.y + 2 * gap + theme.small->FontSize}, ink,
            markov_end(model, s.to), room, model.short_names);
}

}  // namespace compmond::ui
