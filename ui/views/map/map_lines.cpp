// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "ui/kit/draw.h"
#include "ui/views/map/map_ports.h"

namespace compmond::ui {
namespace {

constexpr float kFlowZoom = 0.28f;
constexpr size_t kMaxLabels = 160, kMaxFlowing = 200;  // beyond, they are noise and cost frames

Stroke stroke_of(const MapFrame& frame, size_t index) {
  const layout::MapEdge& edge = frame.graph.edges[index];
  const Theme& theme = frame.canvas.theme;
  const float scale = std::clamp(frame.zoom(), 0.35f, 1.4f);
  const std::string& selected = frame.model.selection.component;
  const bool touched = frame.hovered_edge == int(index) || frame.hovered_node == edge.from ||
                       frame.hovered_node == edge.to ||
                       frame.component(size_t(edge.from)).name == selected ||
                       frame.component(size_t(edge.to)).name == selected;
  const float width = frame.canvas.px(1.3f + float(weight_of(frame, index))) * scale;
  switch (kind_of(frame, index)) {
    case EdgeKind::kUndeclared:
      return {touched ? theme.strong : theme.text, std::max(width, frame.canvas.px(1.3f)), true};
    case EdgeKind::kNeverSeen:
      return {touched ? theme.dim : theme.faint, frame.canvas.px(1.2f), true};
    case EdgeKind::kQuiet:
      return {touched ? theme.dim : quiet_line(theme), frame.canvas.px(1.2f), false};
    case EdgeKind::kCalled:
      break;
  }
  return {touched ? theme.text : mix(theme.faint, theme.dim, 0.55f),
          std::min(width, frame.canvas.px(7)), false};
}

}  // namespace

ImU32 quiet_line(const Theme& theme) { return mix(theme.background, theme.faint, 0.6f); }

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
    if (frame.visible(geometry::bounds(frame.scene.curves[e]).grown(1))) drawn.push_back(e);
  }
  const bool far = frame.zoom() < kFlowZoom;
  for (const size_t e : drawn) {
    Stroke stroke = stroke_of(frame, e);
    stroke.covered =
        float(covered_by_ports(frame, size_t(frame.graph.edges[e].to)) * frame.camera.zoom);
    draw_graph_line(frame, frame.scene.lines[e], stroke);
    if (!far && drawn.size() <= kMaxFlowing) draw_flow(frame, e, stroke.width);
  }
  // Labels of all lines where these are few, so that panning does not move a label.
  place_labels(frame, shown.size() <= kMaxLabels ? shown : drawn);
}

// Dots that drift from caller to callee, faster where there are more calls.
void MapLines::draw_flow(const MapFrame& frame, size_t index, float thickness) {
  const layout::MapEdge& edge = frame.graph.edges[index];
  const double rate = rate_of(frame, index);
  if (rate <= 0 || !frame.model.moves() || !frame.model.window.live) return;
  flows_ = true;
  const auto& line = frame.scene.lines[index];
  const double size = geometry::length(line) * frame.camera.zoom;
  const double spacing = frame.canvas.px(46);
  const double speed = frame.canvas.px(float(12 + 14 * std::log10(1 + rate)));
  double& phase = phase_[{edge.from, edge.to}];
  phase = std::fmod(phase + speed * step_s_, spacing);
  const float radius = thickness / 2 + frame.canvas.px(1.1f);
  const ImU32 colour = frame.canvas.theme.text;
  for (double at = phase; at < size - 6; at += spacing) {
    if (at < 6) continue;
    frame.canvas.list->AddCircleFilled(frame.screen(geometry::along(line, at / size).at), radius,
                                       colour, 8);
  }
}

void MapLines::place_labels(const MapFrame& frame, const std::vector<size_t>& drawn) {
  const Theme& theme = frame.canvas.theme;
  std::vector<LineLabels::Wish> wishes;
  for (const size_t e : drawn) {
    const EdgeKind kind = kind_of(frame, e);
    if (kind == EdgeKind::kNeverSeen || kind == EdgeKind::kQuiet) continue;
    const bool undeclared = kind == EdgeKind::kUndeclared;
    const std::string known = label_of(frame, e);
    wishes.push_back({e, undeclared ? known + " undeclared" : known, known,
                      undeclared ? theme.text : theme.dim});
  }
  std::vector<geometry::Rect> boxes = numbered_ports(frame);
  for (size_t n = 0; n < frame.scene.boxes.size(); ++n)
    if (frame.shown[n] && !frame.scene.boxes[n].empty()) boxes.push_back(frame.scene.boxes[n]);
  labels_.place(frame, frame.scene, frame.revision, boxes, drawn, wishes);
}

}  // namespace compmond::ui
