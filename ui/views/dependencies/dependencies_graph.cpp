// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "text/clean.h"
#include "text/numbers.h"
#include "ui/kit/draw.h"
#include "ui/kit/names.h"
#include "ui/views/dependencies/dependencies.h"
#include "ui/views/shared/heat.h"
#include "ui/views/shared/operation_name.h"

namespace compmond::ui {
namespace {

constexpr float kNameZoom = 0.32f, kFiguresZoom = 0.7f;
constexpr double kLeastZoom = 0.4;          // at first: names can be read
constexpr double kSayArrangingAfter = 0.4;  // s; shorter waits need no words
constexpr float kAbsent = 0.6f;             // towards the ground: not in this window, or not found

// 1 to 6 design pixels, on a logarithmic scale: counts differ by orders of magnitude.
float width_of(uint64_t count, uint64_t most) {
  if (most <= 1) return 1.6f;
  return 1 + 5 * float(std::log(1 + double(count)) / std::log(1 + double(most)));
}

constexpr float kControls = 64;  // design pixels above the graph

layout::MapStyle style_of(const Canvas& canvas, bool operations) {
  layout::MapStyle style;
  style.box_width = operations ? 176 : 160;
  style.box_height = 46;
  style.gap_x = 84;
  style.gap_y = 22;
  style.frame_title = 34;  // still high enough for a name where all is small
  style.area_width = canvas.width() / canvas.theme.scale;
  style.area_height = canvas.height() / canvas.theme.scale - kControls;
  return style;
}

}  // namespace

void DependenciesView::place(const Canvas& canvas, const Model& model) {
  if (const auto outside = std::find_if(data_.nodes.begin(), data_.nodes.end(),
                                        [](const auto& node) { return node.outside(); });
      outside != data_.nodes.end())
    pane_.begin_at(int(outside - data_.nodes.begin()), kLeastZoom);
  style_ = style_of(canvas, level_ == snapshot::Level::kOperation);
  pane_.show(data_.graph.graph(), style_, model.clock_s);
}

void DependenciesView::draw_graph(const Canvas& canvas, float top, Model& model) {
  if (!pane_.ready()) {
    if (pane_.waiting_s(model.clock_s) > kSayArrangingAfter)
      draw_empty(canvas.list, canvas.theme, {canvas.min.x, top}, canvas.max,
                 fmt::format("Arranging {} boxes.", data_.nodes.size()), "");
    return;
  }
  const auto& scene = pane_.scene();
  const auto& lines = pane_.graph().edges;
  shown_boxes_.assign(scene.boxes.size(), 0);
  for (size_t n = 0; n < shown_boxes_.size(); ++n)
    shown_boxes_[n] = data_.nodes[n].outside() || model.settings.shows(data_.nodes[n].component);
  shown_lines_.assign(lines.size(), 0);
  for (size_t e = 0; e < lines.size(); ++e)
    shown_lines_[e] = data_.edges[e].count > 0 && shown_boxes_[size_t(lines[e].from)] &&
                      shown_boxes_[size_t(lines[e].to)];
  const auto at = pane_.point(canvas, {canvas.min.x, top}, canvas.max, shown_boxes_, shown_lines_,
                              model.clock_s);
  const GraphSight sight = pane_.sight(canvas);
  canvas.list->PushClipRect({canvas.min.x, top}, canvas.max, true);
  for (size_t n = 0; n < scene.frames.size(); ++n)
    if (!scene.frames[n].empty() && shown_boxes_[n] && sight.visible(scene.frames[n]))
      draw_frame(sight, n);
  draw_lines(sight, at, model);
  for (size_t n = 0; n < scene.boxes.size(); ++n)
    if (shown_boxes_[n] && !scene.boxes[n].empty() && sight.visible(scene.boxes[n]))
      draw_node(sight, n, at.node == int(n), model);
  labels_.draw(sight);
  canvas.list->PopClipRect();
  if (at.node >= 0) {
    node_tooltip(canvas, size_t(at.node));
    if (at.clicked && !data_.nodes[size_t(at.node)].outside())
      select(data_.nodes[size_t(at.node)], model);
  } else if (at.edge >= 0) {
    const auto& edge = data_.edges[size_t(at.edge)];
    call_tooltip(canvas, model, size_t(edge.from), size_t(edge.to),
                 calls(size_t(edge.from), size_t(edge.to)));
  }
  if (at.clicked && at.node < 0) model.selection = {};
}

void DependenciesView::draw_lines(const GraphSight& sight, const GraphPane::Pointed& at,
                                  const Model& model) {
  const Theme& theme = sight.canvas.theme;
  const auto& scene = pane_.scene();
  const float scale = std::clamp(sight.zoom(), 0.35f, 1.4f);
  const bool times = model.settings.option("Dependencies/times", 0) > 0;
  std::vector<size_t> lines, boxes;
  std::vector<LineLabels::Wish> wishes;
  for (size_t e = 0; e < shown_lines_.size(); ++e) {
    if (!shown_lines_[e]) continue;
    lines.push_back(e);
    const auto& edge = data_.edges[e];
    const bool touched = at.edge == int(e) || at.node == edge.from || at.node == edge.to ||
                         (at.node < 0 && (selected(data_.nodes[size_t(edge.from)], model) ||
                                          selected(data_.nodes[size_t(edge.to)], model)));
    const std::string count = text::short_count(double(edge.count));
    wishes.push_back(
        {e, times ? fmt::format("{} · {}", count, text::duration(double(edge.mean_ns))) : count,
         count, touched ? theme.strong : theme.dim});
    if (!sight.visible(geometry::bounds(scene.curves[e]).grown(1))) continue;
    draw_graph_line(sight, scene.lines[e],
                    {touched ? theme.text : mix(theme.faint, theme.dim, 0.55f),
                     sight.canvas.px(width_of(edge.count, data_.most)) * scale, false});
  }
  for (size_t n = 0; n < scene.boxes.size(); ++n)
    if (shown_boxes_[n] && !scene.boxes[n].empty()) boxes.push_back(n);
  labels_.place(sight, scene, pane_.revision(), boxes, lines, wishes);
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
  ImFont* font = sight.zoom() < kFiguresZoom ? theme.small : theme.bold;
  const float pad = sight.canvas.px(8);
  const auto title = float(style_.frame_title * sight.camera.zoom);
  draw_text(sight.canvas.list, font, {min.x + pad, min.y + (title - font->FontSize) / 2},
            theme.text, text::clean(leaf(data_.nodes[node].component)), max.x - min.x - 2 * pad);
}

void DependenciesView::draw_words(const GraphSight& sight, size_t node, ImVec2 min, ImVec2 max,
                                  const Model& model) const {
  const auto& n = data_.nodes[node];
  const Theme& theme = sight.canvas.theme;
  ImDrawList* list = sight.canvas.list;
  const float pad = sight.canvas.px(sight.zoom() < kFiguresZoom ? 6 : 10);
  const float room = max.x - min.x - 2 * pad;
  const bool brief = sight.zoom() < kFiguresZoom;
  ImFont* font = brief ? theme.small : n.operation.empty() ? theme.bold : theme.mono_small;
  const bool bright = n.present && found(n, model);
  std::string name = n.outside()           ? "$ outside"
                     : n.operation.empty() ? text::clean(leaf(n.component))
                                           : text::clean(n.operation);
  if (!n.operation.empty() && text_size(font, name).x > room) name = brief_operation(name);
  const ImU32 ink = bright ? theme.strong : theme.dim;
  if (brief || n.outside()) {
    draw_text(list, font, {min.x + pad, (min.y + max.y - font->FontSize) / 2}, ink, name, room);
    return;
  }
  const float gap = (max.y - min.y - font->FontSize - theme.small->FontSize) / 3;
  draw_text(list, font, {min.x + pad, min.y + gap}, ink, name, room);
  std::string figures = "not called";
  if (n.called.count > 0)
    figures = fmt::format("{} · {}", text::short_count(double(n.called.count)),
                          text::duration(double(n.called.mean_ns)));
  if (n.itself.count > 0)
    figures += fmt::format("  self {}", text::short_count(double(n.itself.count)));
  draw_text(list, theme.small, {min.x + pad, min.y + 2 * gap + font->FontSize}, theme.dim, figures,
            room);
}

void DependenciesView::draw_node(const GraphSight& sight, size_t node, bool hovered,
                                 const Model& model) const {
  const auto& n = data_.nodes[node];
  const Theme& theme = sight.canvas.theme;
  ImDrawList* list = sight.canvas.list;
  const geometry::Rect& box = pane_.scene().boxes[node];
  const ImVec2 min = sight.screen({box.x0, box.y0}), max = sight.screen({box.x1, box.y1});
  const float rounding = sight.canvas.px(7) * std::min(1.0f, sight.zoom());
  const bool faded = !n.present || !found(n, model);
  const ImU32 fill = faded ? mix(theme.bar, theme.background, kAbsent) : theme.bar;
  list->AddRectFilled(min, max, n.outside() ? theme.background : fill, rounding);
  list->AddRect(min, max, theme.bar_line, rounding, 0, sight.canvas.px(1));
  // A rim in the colour that the component has on the map.
  if (!n.outside() && !faded) {
    const float rim = std::max(2.f, sight.canvas.px(4) * std::min(1.0f, sight.zoom()));
    list->AddRectFilled(
        min, {min.x + rim, max.y},
        heat_of(theme, model, n.component, std::max(15.0, model.eased_of(n.component).hotness)),
        rounding, ImDrawFlags_RoundCornersLeft);
  }
  if (sight.zoom() >= kNameZoom) draw_words(sight, node, min, max, model);
  const bool chosen = selected(n, model);
  if (!chosen && !hovered) return;
  const float out = sight.canvas.px(2);
  list->AddRect({min.x - out, min.y - out}, {max.x + out, max.y + out},
                with_alpha(theme.blue, chosen ? 1 : 0.5f), rounding + out, 0, sight.canvas.px(2));
}

}  // namespace compmond::ui
