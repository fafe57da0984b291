// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "layout/graph_pick.h"
#include "ui/model/inside_link.h"
#include "ui/views/map/map.h"
#include "ui/views/map/map_ports.h"

namespace compmond::ui {
namespace {

constexpr double kEdgeReach = 6;  // how near to a line the pointer means it

int node_at(const MapFrame& frame, geometry::Pt at) {
  if (const int box = layout::box_at(frame.scene, frame.shown, at); box >= 0) return box;
  // Then the titles of frames, the innermost first.
  for (size_t n = frame.frames.size(); n-- > 0;) {
    geometry::Rect title = frame.frames[n];
    if (title.empty()) continue;
    title.y1 = title.y0 + frame.style.frame_title;
    if (title.contains(at)) return int(n);
  }
  return -1;
}

int edge_at(const MapFrame& frame, geometry::Pt at) {
  std::vector<char> lines;
  for (const auto& edge : frame.graph.edges)
    lines.push_back(frame.shown[size_t(edge.from)] && frame.shown[size_t(edge.to)]);
  return layout::line_at(frame.scene, lines, at,
                         kEdgeReach * frame.canvas.theme.scale / frame.camera.zoom);
}

void select(Model& model, const std::string& component) {
  model.selection = {};
  model.selection.component = component;
}

}  // namespace

void MapView::handle_mouse(MapFrame& frame, Model& model) {
  const Canvas& canvas = frame.canvas;
  ImGui::SetCursorScreenPos(canvas.min);
  ImGui::InvisibleButton("map", {std::max(1.0f, canvas.width()), std::max(1.0f, canvas.height())},
                         ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonMiddle);
  const bool hovered = ImGui::IsItemHovered();
  const ImGuiIO& io = ImGui::GetIO();
  const geometry::Pt mouse{double(io.MousePos.x) - canvas.min.x,
                           double(io.MousePos.y) - canvas.min.y};
  const geometry::Pt at = view_.camera().layout(mouse);
  if (!drag_) {
    hovered_port_ = hovered ? port_at(frame, at) : std::nullopt;
    hovered_node_ = hovered_port_ ? int(hovered_port_->node) : hovered ? node_at(frame, at) : -1;
    hovered_edge_ = hovered && hovered_node_ < 0 ? edge_at(frame, at) : -1;
  }
  if (hovered && io.MouseWheel != 0) view_.wheel(io.MouseWheel, mouse, canvas.theme.scale);
  if (ImGui::IsItemActivated()) press(frame, mouse);
  if (drag_ && ImGui::IsItemActive()) drag(frame, mouse);
  if (drag_ && ImGui::IsItemDeactivated()) release(frame, model);
  if (hovered && hovered_node_ >= 0 && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
    if (has_samples(model) && !io.KeyShift)
      show_inside(model, frame.graph.nodes[size_t(hovered_node_)].name, "");
    else
      isolate(frame, size_t(hovered_node_), model);
    drag_.reset();
  }
  frame.hovered_node = hovered_node_;
  frame.hovered_edge = hovered_edge_;
  frame.hovered_port = hovered_port_;
  if (!hovered || drag_) return;
  if (hovered_node_ >= 0 || hovered_edge_ >= 0) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  if (hovered_port_)
    port_tooltip(frame, *hovered_port_);
  else if (hovered_node_ >= 0)
    box_tooltip(frame, size_t(hovered_node_));
  else if (hovered_edge_ >= 0)
    edge_tooltip(frame, size_t(hovered_edge_));
}

void MapView::press(const MapFrame& frame, geometry::Pt mouse) {
  Drag drag;
  drag.from = mouse;
  // Frames move with their boxes, not by themselves.
  const bool box = hovered_node_ >= 0 && !frame.scene.boxes[size_t(hovered_node_)].empty() &&
                   ImGui::IsMouseDown(ImGuiMouseButton_Left);
  if (box) {
    const geometry::Rect& rect = frame.scene.boxes[size_t(hovered_node_)];
    drag.node = hovered_node_;
    drag.corner = {rect.x0, rect.y0};
  } else {
    drag.corner = view_.corner();
  }
  drag_ = drag;
}

void MapView::drag(const MapFrame& frame, geometry::Pt mouse) {
  const geometry::Pt by = mouse - drag_->from;
  if (!drag_->moved && geometry::length(by) < frame.canvas.px(kDragAfter)) return;
  drag_->moved = true;
  if (drag_->node >= 0) {
    layout::move_box(scene_, graph_, style_, drag_->node,
                     drag_->corner + by * (1 / view_.camera().zoom));
    ++revision_;
  } else {
    view_.put(drag_->corner - by * (1 / view_.camera().zoom));
  }
  // What is being arranged by hand must not run away under the pointer.
  view_.hold();
}

void MapView::release(const MapFrame& frame, Model& model) {
  const Drag drag = *drag_;
  drag_.reset();
  if (drag.moved && drag.node >= 0) {
    const geometry::Rect& box = scene_.boxes[size_t(drag.node)];
    model.settings.boxes[graph_.nodes[size_t(drag.node)].name] = {float(box.x0), float(box.y0)};
    want(frame.canvas, model, false);
  } else if (!drag.moved) {
    select(model, hovered_node_ >= 0 ? graph_.nodes[size_t(hovered_node_)].name : "");
  }
}

// The component, what it calls and what calls it; once more: everything.
void MapView::isolate(const MapFrame& frame, size_t node, Model& model) {
  view_.fit();
  auto& isolated = model.settings.isolated;
  const std::string& name = frame.graph.nodes[node].name;
  if (!isolated.empty()) {
    isolated.clear();
    return;
  }
  isolated.insert(name);
  for (const auto& edge : frame.graph.edges) {
    if (edge.from == int(node)) isolated.insert(frame.graph.nodes[size_t(edge.to)].name);
    if (edge.to == int(node)) isolated.insert(frame.graph.nodes[size_t(edge.from)].name);
  }
}

}  // namespace compmond::ui
