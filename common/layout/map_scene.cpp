// SPDX-License-Identifier: Apache-2.0
#include "layout/map_scene.h"

#include <algorithm>
#include <utility>

#include "layout/route.h"

namespace compmond::layout {

using geometry::Pt;
using geometry::Rect;

namespace {

constexpr int kSamples = 14;        // straight parts of a piece: smooth up to zoom 3
constexpr size_t kMaxRouted = 400;  // beyond, new lines are drawn straight: routing takes time

const Rect& end_of(const MapScene& scene, int node) {
  const Rect& box = scene.boxes[size_t(node)];
  return box.empty() ? scene.frames[size_t(node)] : box;
}

Rect bounds_of(const MapScene& scene) {
  Rect all;
  for (const Rect& box : scene.boxes) all = all.joined(box);
  for (const Rect& frame : scene.frames) all = all.joined(frame);
  return all;
}

}  // namespace

MapScene compose(const MapGraph& graph, const MapPlan& plan, const MapStyle& style,
                 const std::map<int, Pt>& moved) {
  MapScene scene;
  scene.boxes = plan.boxes;
  for (const auto& [node, corner] : moved) {
    Rect& box = scene.boxes[size_t(node)];
    if (!box.empty()) box = box.moved(corner - Pt{box.x0, box.y0});
  }
  scene.frames = frames_around(graph, scene.boxes, style, {});
  size_t routed_lines = 0;
  for (const MapEdge& edge : graph.edges) {
    const auto route = plan.routes.find({edge.from, edge.to});
    const bool in_place = !moved.contains(edge.from) && !moved.contains(edge.to);
    const Rect &from = end_of(scene, edge.from), &to = end_of(scene, edge.to);
    if (route != plan.routes.end() && in_place)
      scene.curves.push_back(route->second);
    else if (from.empty() || to.empty())
      scene.curves.emplace_back();
    else if (++routed_lines <= kMaxRouted)
      scene.curves.push_back(routed(from, to, scene.boxes));
    else
      scene.curves.push_back(direct(from, to));
    scene.lines.push_back(flattened(scene.curves.back(), kSamples));
  }
  scene.bounds = bounds_of(scene);
  return scene;
}

void move_box(MapScene& scene, const MapGraph& graph, const MapStyle& style, int node, Pt corner) {
  Rect& box = scene.boxes[size_t(node)];
  if (box.empty()) return;
  box = box.moved(corner - Pt{box.x0, box.y0});
  scene.frames = frames_around(graph, scene.boxes, style, {});
  for (size_t e = 0; e < graph.edges.size(); ++e) {
    const MapEdge& edge = graph.edges[e];
    if (edge.from != node && edge.to != node) continue;
    scene.curves[e] = direct(end_of(scene, edge.from), end_of(scene, edge.to));
    scene.lines[e] = flattened(scene.curves[e], kSamples);
  }
  scene.bounds = bounds_of(scene);
}

}  // namespace compmond::layout
