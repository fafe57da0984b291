// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "layout/route.h"
#include "ui/draw.h"
#include "ui/format.h"
#include "ui/views/map_frame.h"

namespace compmond::ui {
namespace {

constexpr float kLabelZoom = 0.45f, kFlowZoom = 0.28f, kPortZoom = 0.28f;
constexpr size_t kMaxLabels = 160, kMaxFlowing = 200;  // beyond, they are noise and cost frames

struct Stroke {
  ImU32 colour;
  float width;
  bool dashed;
};

Stroke stroke_of(const MapFrame& frame, size_t index) {
  const layout::MapEdge& edge = frame.graph.edges[index];
  const Theme& theme = frame.canvas.theme;
  const float scale = std::clamp(frame.zoom(), 0.35f, 1.4f);
  const std::string& selected = frame.model.selection.component;
  const bool touched = frame.hovered_edge == int(index) || frame.hovered_node == edge.from ||
                       frame.hovered_node == edge.to ||
                       frame.component(size_t(edge.from)).name == selected ||
                       frame.component(size_t(edge.to)).name == selected;
  const float width =
      frame.canvas.px(1.3f + 0.85f * float(std::log10(1 + rate_of(frame, index)))) * scale;
  switch (kind_of(frame, index)) {
    case EdgeKind::kUndeclared:
      return {with_alpha(theme.amber, touched ? 1 : 0.85f), std::max(width, frame.canvas.px(1.3f)),
              true};
    case EdgeKind::kNeverSeen:
      return {touched ? theme.dim : theme.faint, frame.canvas.px(1.2f), true};
    case EdgeKind::kCalled:
      break;
  }
  return {touched ? theme.text : mix(theme.faint, theme.dim, 0.55f),
          std::min(width, frame.canvas.px(7)), false};
}

void draw_polyline(ImDrawList* list, const std::vector<ImVec2>& points, const Stroke& stroke,
                   float dash) {
  if (!stroke.dashed) {
    list->AddPolyline(points.data(), int(points.size()), stroke.colour, 0, stroke.width);
    return;
  }
  // Dashes run on over the corners: `left` of the current dash or gap remains.
  float left = dash;
  bool on = true;
  for (size_t i = 1; i < points.size(); ++i) {
    const float dx = points[i].x - points[i - 1].x, dy = points[i].y - points[i - 1].y;
    const float size = std::hypot(dx, dy);
    for (float at = 0; at < size;) {
      const float step = std::min(left, size - at);
      if (on)
        list->AddLine(
            {points[i - 1].x + dx * at / size, points[i - 1].y + dy * at / size},
            {points[i - 1].x + dx * (at + step) / size, points[i - 1].y + dy * (at + step) / size},
            stroke.colour, stroke.width);
      at += step;
      left -= step;
      if (left > 0.01f) continue;
      left = dash;
      on = !on;
    }
  }
}

void draw_head(const MapFrame& frame, const std::vector<layout::Pt>& line, const Stroke& stroke) {
  const layout::OnLine end = layout::along(line, 1);
  const ImVec2 tip = frame.screen(end.at);
  const auto x = float(end.direction.x), y = float(end.direction.y);
  // The port covers the last pixels of a line that arrives from the side.
  const float zoom = std::min(1.0f, frame.zoom());
  const float back = std::abs(x) > std::abs(y) ? frame.canvas.px(4) * zoom : 0;
  const float size = (frame.canvas.px(5) + stroke.width) * std::max(0.6f, zoom);
  const ImVec2 at{tip.x - x * back, tip.y - y * back};
  const ImVec2 root{at.x - x * size * 1.2f, at.y - y * size * 1.2f};
  const float half = size * 0.6f;
  frame.canvas.list->AddTriangleFilled(at, {root.x - y * half, root.y + x * half},
                                       {root.x + y * half, root.y - x * half}, stroke.colour);
}

}  // namespace

void MapLines::draw(const MapFrame& frame) {
  step_s_ = std::clamp(frame.model.clock_s - clock_s_, 0.0, 0.1);
  clock_s_ = frame.model.clock_s;
  flows_ = false;
  std::vector<size_t> shown, drawn;
  for (size_t e = 0; e < frame.graph.edges.size(); ++e) {
    const layout::MapEdge& edge = frame.graph.edges[e];
    if (!frame.shown[size_t(edge.from)] || !frame.shown[size_t(edge.to)] ||
        frame.scene.lines[e].size() < 2)
      continue;
    shown.push_back(e);
    if (frame.visible(layout::bounds(frame.scene.curves[e]).grown(1))) drawn.push_back(e);
  }
  const bool far = frame.zoom() < kFlowZoom;
  std::vector<ImVec2> points;
  for (const size_t e : drawn) {
    const auto& line = frame.scene.lines[e];
    Stroke stroke = stroke_of(frame, e);
    stroke.dashed &= !far;
    points.clear();
    for (size_t i = 0; i < line.size(); i += far && i + 4 < line.size() ? 4 : 1)
      points.push_back(frame.screen(line[i]));
    draw_polyline(frame.canvas.list, points, stroke, frame.canvas.px(5));
    if (frame.zoom() >= kPortZoom) draw_head(frame, line, stroke);
    if (!far && drawn.size() <= kMaxFlowing) draw_flow(frame, e, stroke.width);
  }
  // Labels of all lines where these are few, so that panning does not move a label.
  place_labels(frame, shown.size() <= kMaxLabels ? shown : drawn);
}

// Dots that drift from caller to callee, faster where there are more calls.
void MapLines::draw_flow(const MapFrame& frame, size_t index, float thickness) {
  const layout::MapEdge& edge = frame.graph.edges[index];
  const double rate = rate_of(frame, index);
  if (rate <= 0 || !frame.model.run.live || !frame.model.window.live) return;
  flows_ = true;
  const auto& line = frame.scene.lines[index];
  const double size = layout::length(line) * frame.camera.zoom;
  const double spacing = frame.canvas.px(46);
  const double speed = frame.canvas.px(float(12 + 14 * std::log10(1 + rate)));
  double& phase = phase_[{edge.from, edge.to}];
  phase = std::fmod(phase + speed * step_s_, spacing);
  const float radius = thickness / 2 + frame.canvas.px(1.1f);
  const ImU32 colour = kind_of(frame, index) == EdgeKind::kUndeclared ? frame.canvas.theme.amber
                                                                      : frame.canvas.theme.text;
  for (double at = phase; at < size - 6; at += spacing) {
    if (at < 6) continue;
    frame.canvas.list->AddCircleFilled(frame.screen(layout::along(line, at / size).at), radius,
                                       colour, 8);
  }
}

void MapLines::place_labels(const MapFrame& frame, const std::vector<size_t>& drawn) {
  if (frame.zoom() < kLabelZoom || drawn.size() > kMaxLabels) {
    labels_.clear();
    label_key_.clear();
    return;
  }
  const Theme& theme = frame.canvas.theme;
  std::vector<std::string> texts, rates;
  std::vector<size_t> edges;
  // Widths in steps, so that a digit more or less does not make a label jump.
  const float grain = frame.canvas.px(14);
  std::string key = fmt::format("{} {:.4f} ", frame.revision, frame.camera.zoom);
  std::vector<double> widths;
  for (const size_t e : drawn) {
    if (kind_of(frame, e) == EdgeKind::kNeverSeen) continue;
    edges.push_back(e);
    rates.push_back(rate_text(rate_of(frame, e)));
    texts.push_back(rates.back());
    if (kind_of(frame, e) == EdgeKind::kUndeclared) texts.back() += " undeclared";
    widths.push_back(std::ceil(text_size(theme.small, texts.back()).x / grain) * grain);
    key += fmt::format("{} {:.0f};", e, widths.back());
  }
  if (key == label_key_ && labels_.size() == edges.size()) {
    for (size_t i = 0; i < edges.size(); ++i)
      if (!labels_[i].text.empty()) labels_[i].text = labels_[i].shortened ? rates[i] : texts[i];
    return;
  }
  label_key_ = key;
  labels_.assign(edges.size(), {});
  // In pixels from the layout's origin, so that panning changes nothing.
  const layout::Camera here{frame.camera.zoom, {}};
  std::vector<layout::Rect> boxes;
  for (size_t n = 0; n < frame.scene.boxes.size(); ++n)
    if (frame.shown[n] && !frame.scene.boxes[n].empty())
      boxes.push_back(here.screen(frame.scene.boxes[n]));
  std::vector<std::vector<layout::Pt>> lines;
  for (const size_t e : drawn) {
    lines.emplace_back();
    for (const layout::Pt p : frame.scene.lines[e]) lines.back().push_back(here.screen(p));
  }
  std::vector<layout::LabelWish> wishes;
  std::vector<const std::vector<layout::Pt>*> all;
  for (const auto& line : lines) all.push_back(&line);
  for (size_t i = 0, d = 0; i < edges.size(); ++i) {
    while (drawn[d] != edges[i]) ++d;
    const double narrow = std::ceil(text_size(theme.small, rates[i]).x / grain) * grain;
    wishes.push_back(
        {&lines[d], widths[i], theme.small->FontSize, narrow < widths[i] ? narrow : 0});
  }
  const auto places = layout::place_labels(wishes, boxes, all);
  for (size_t i = 0; i < edges.size(); ++i) {
    if (!places[i]) continue;
    const layout::LabelPlace& place = *places[i];
    const bool undeclared = kind_of(frame, edges[i]) == EdgeKind::kUndeclared;
    const std::string& text = place.shortened ? rates[i] : texts[i];
    labels_[i] = {
        text,
        undeclared ? theme.amber : theme.dim,
        place.shortened,
        {float(place.rect.centre().x - text_size(theme.small, text).x / 2), float(place.rect.y0)}};
  }
}

void MapLines::draw_labels(const MapFrame& frame) const {
  const ImVec2 origin = frame.screen({0, 0});
  ImFont* font = frame.canvas.theme.small;
  for (const Label& label : labels_) {
    if (label.text.empty()) continue;
    const ImVec2 at{origin.x + label.at.x, origin.y + label.at.y};
    const ImVec2 size = text_size(font, label.text);
    frame.canvas.list->AddRectFilled({at.x - 2, at.y}, {at.x + size.x + 2, at.y + size.y},
                                     with_alpha(frame.canvas.theme.background, 0.8f), 3);
    draw_text(frame.canvas.list, font, at, label.colour, label.text);
  }
}

}  // namespace compmond::ui
