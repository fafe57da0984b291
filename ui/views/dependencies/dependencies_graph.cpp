// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "text/clean.h"
#include "text/match.h"
#include "text/numbers.h"
#include "ui/kit/draw.h"
#include "ui/views/dependencies/dependencies.h"
#include "ui/views/shared/heat.h"
#include "ui/views/shared/operation_name.h"

namespace compmond::ui {
namespace {

constexpr double kLeastZoom = 0.4;  // at first: names can be read

// 1 to 6 design pixels, on a logarithmic scale: counts differ by orders of magnitude.
float width_of(uint64_t count, uint64_t most) {
  if (most <= 1) return 1.6f;
  return 1 + 5 * float(std::log(1 + double(count)) / std::log(1 + double(most)));
}

}  // namespace

void DependenciesView::place(const Canvas& canvas, const Model& model) {
  if (const auto outside = std::find_if(data_.nodes.begin(), data_.nodes.end(),
                                        [](const auto& node) { return node.outside(); });
      outside != data_.nodes.end())
    pane_.begin_at(int(outside - data_.nodes.begin()), kLeastZoom);
  style_ = style(canvas);
  style_.box_width = by_operation() ? 176 : 160;
  style_.box_height = 46;
  style_.gap_x = 84;
  style_.gap_y = 22;
  style_.frame_title = 34;  // still high enough for a name where all is small
  pane_.show(data_.graph.graph(), style_, model.clock_s);
}

void DependenciesView::draw_boxes(const Canvas& canvas, float top, Model& model) {
  const auto& lines = pane_.graph().edges;
  shown_boxes_.assign(pane_.scene().boxes.size(), 0);
  for (size_t n = 0; n < shown_boxes_.size(); ++n) shown_boxes_[n] = shows(data_.nodes[n], model);
  shown_lines_.assign(lines.size(), 0);
  for (size_t e = 0; e < lines.size(); ++e)
    shown_lines_[e] = data_.edges[e].count > 0 && shown_boxes_[size_t(lines[e].from)] &&
                      shown_boxes_[size_t(lines[e].to)];
  const auto at = draw_graph(canvas, {canvas.min.x, top}, canvas.max, model);
  if (!at) return;
  if (at->node >= 0) {
    node_tooltip(canvas, size_t(at->node));
    if (at->clicked && !data_.nodes[size_t(at->node)].outside())
      select(data_.nodes[size_t(at->node)], model);
  } else if (at->edge >= 0) {
    const auto& edge = data_.edges[size_t(at->edge)];
    call_tooltip(canvas, model, size_t(edge.from), size_t(edge.to),
                 calls(size_t(edge.from), size_t(edge.to)));
  }
  if (at->clicked && at->node < 0) model.selection = {};
}

GraphView::LineLook DependenciesView::look(size_t line, const GraphPane::Pointed& at,
                                           const Model& model) const {
  const auto& edge = data_.edges[line];
  LineLook out;
  out.touched = at.edge == int(line) || at.node == edge.from || at.node == edge.to ||
                (at.node < 0 && (selected(data_.nodes[size_t(edge.from)], model) ||
                                 selected(data_.nodes[size_t(edge.to)], model)));
  out.text = out.brief = answer_.mark() + text::short_count(double(edge.count));
  if (times_.on(model)) out.text += " · " + text::duration(double(edge.mean_ns));
  out.width = width_of(edge.count, data_.most);
  return out;
}

void DependenciesView::draw_frames(const GraphSight& sight) const {
  const auto& frames = pane_.scene().frames;
  for (size_t n = 0; n < frames.size(); ++n)
    if (!frames[n].empty() && shown_boxes_[n] && sight.visible(frames[n])) draw_frame(sight, n);
}

void DependenciesView::draw_frame(const GraphSight& sight, size_t node) const {
  const Theme& theme = sight.canvas.theme;
  const geometry::Rect& around = pane_.scene().frames[node];
  const ImVec2 min = sight.screen({around.x0, around.y0}),
               max = sight.screen({around.x1, around.y1});
  const float rounding = sight.canvas.px(9) * std::min(1.0f, sight.zoom());
  sight.canvas.list->AddRectFilled(min, max, with_alpha(theme.panel, 0.75f), rounding);
  sight.canvas.list->AddRect(min, max, theme.bar_line, rounding, 0, sight.canvas.px(1));
  if (sight.zoom() < kNameZoom) return;
  ImFont* font = sight.zoom() < kAllZoom ? theme.small : theme.bold;
  const float pad = sight.canvas.px(8);
  const auto title = float(style_.frame_title * sight.camera.zoom);
  draw_text(sight.canvas.list, font, {min.x + pad, min.y + (title - font->FontSize) / 2},
            theme.text, text::clean(text::leaf(data_.nodes[node].component)),
            max.x - min.x - 2 * pad);
}

void DependenciesView::draw_words(const GraphSight& sight, size_t node, const Box& box,
                                  const Model& model) const {
  const auto& [min, max, rounding] = box;
  const auto& n = data_.nodes[node];
  const Theme& theme = sight.canvas.theme;
  ImDrawList* list = sight.canvas.list;
  const float pad = sight.canvas.px(sight.zoom() < kAllZoom ? 6 : 10);
  const float room = max.x - min.x - 2 * pad;
  const bool brief = sight.zoom() < kAllZoom;
  ImFont* font = brief ? theme.small : n.operation.empty() ? theme.bold : theme.mono_small;
  const bool bright = n.present && found(n, model);
  std::string name = !n.operation.empty()  ? text::clean(n.operation)
                     : n.component.empty() ? dependency_name(n)
                                           : model.name_of(n.component);
  if (!n.operation.empty() && text_size(font, name).x > room) name = short_operation(name);
  const ImU32 ink = bright ? theme.strong : theme.dim;
  if (brief || n.outside()) {
    draw_text(list, font, {min.x + pad, (min.y + max.y - font->FontSize) / 2}, ink, name, room,
              model.short_names);
    return;
  }
  const float gap = (max.y - min.y - font->FontSize - theme.small->FontSize) / 3;
  draw_text(list, font, {min.x + pad, min.y + gap}, ink, name, room);
  std::string figures = "not called";
  if (n.called.count > 0)
    figures = fmt::format("{}{} · {}", answer_.mark(), text::short_count(double(n.called.count)),
                          text::duration(double(n.called.mean_ns)));
  if (n.itself.count > 0)
    figures +=
        fmt::format("  self {}{}", answer_.mark(), text::short_count(double(n.itself.count)));
  draw_text(list, theme.small, {min.x + pad, min.y + 2 * gap + font->FontSize}, theme.dim, figures,
            room);
}

void DependenciesView::draw_box(const GraphSight& sight, size_t node, bool hovered,
                                const Model& model) const {
  const auto& n = data_.nodes[node];
  const Theme& theme = sight.canvas.theme;
  const bool faded = !n.present || !found(n, model);
  const ImU32 fill = faded ? mix(theme.bar, theme.background, kAbsent) : theme.bar;
  const Box box = draw_body(sight, node, 7, n.outside() ? theme.background : fill);
  // A side in the colour that the component has on the map.
  if (!n.component.empty() && !faded) {
    const float side = std::max(2.f, sight.canvas.px(4) * std::min(1.0f, sight.zoom()));
    sight.canvas.list->AddRectFilled(
        box.min, {box.min.x + side, box.max.y},
        heat_of(theme, model, n.component, std::max(15.0, model.eased_of(n.component).hotness)),
        box.rounding, ImDrawFlags_RoundCornersLeft);
  }
  if (sight.zoom() >= kNameZoom) draw_words(sight, node, box, model);
  const bool chosen = selected(n, model);
  if (chosen || hovered) draw_rim(sight, box, chosen);
}

}  // namespace compmond::ui
