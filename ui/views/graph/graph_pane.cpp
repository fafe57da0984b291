// SPDX-License-Identifier: Apache-2.0
#include "ui/views/graph/graph_pane.h"

#include <algorithm>

#include "layout/graph_pick.h"

namespace compmond::ui {
namespace {

constexpr double kLineReach = 6;  // how near to a line the pointer means it

}  // namespace

void GraphPane::clear() {
  asked_ = {};
  graph_ = {};
  scene_ = {};
  plan_.reset();
  planned_ = 0;
  view_.begin_again();
  drag_.reset();
}

void GraphPane::show(const layout::MapGraph& graph, const layout::MapStyle& style, double clock_s) {
  if (graph != asked_ || anew_) {
    // A few new lines are led around the boxes; many deserve a better place for these.
    const bool few = graph.edges.size() <= planned_ + std::max<size_t>(2, planned_ / 4);
    const bool keep = plan_ && !anew_ && few && graph.nodes == graph_.nodes;
    if (anew_) view_.begin_again();
    anew_ = false;
    asked_ = graph;
    asked_s_ = clock_s;
    arranger_.want({graph, style, keep ? plan_ : nullptr, {}});
  }
  auto done = arranger_.take();
  if (!done || done->graph != asked_) return;  // of a graph that was cleared meanwhile
  const bool placed = done->plan != plan_;
  graph_ = std::move(done->graph);
  plan_ = std::move(done->plan);
  scene_ = std::move(done->scene);
  if (placed) {
    planned_ = graph_.edges.size();
    // Lines may lead around the outermost boxes. One that comes later must not move the picture.
    drawing_ = scene_.bounds;
    for (const auto& line : scene_.lines)
      for (const geometry::Pt p : line)
        drawing_ = drawing_.joined({p.x - 1, p.y - 1, p.x + 1, p.y + 1});
  }
  ++revision_;
}

GraphPane::Pointed GraphPane::point(const Canvas& canvas, ImVec2 min, ImVec2 max,
                                    const std::vector<char>& shown_boxes,
                                    const std::vector<char>& shown_lines, double clock_s) {
  Pointed pointed;
  if (max.x <= min.x || max.y <= min.y) return pointed;
  const float side = canvas.px(20);
  const float row =
      2 * canvas.theme.small->FontSize;  // the count of an outermost line stands there
  Beginning begin;
  if (begin_ >= 0 && size_t(begin_) < scene_.boxes.size())
    begin = {least_zoom_, scene_.boxes[size_t(begin_)].centre()};
  view_.step(drawing_,
             {double(min.x - canvas.min.x + side), double(min.y - canvas.min.y + row),
              double(max.x - canvas.min.x - side), double(max.y - canvas.min.y - row)},
             canvas.theme.scale, clock_s, begin);
  ImGui::SetCursorScreenPos(min);
  ImGui::InvisibleButton("graph", {max.x - min.x, max.y - min.y},
                         ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonMiddle);
  const bool hovered = ImGui::IsItemHovered();
  const ImGuiIO& io = ImGui::GetIO();
  const geometry::Pt mouse{double(io.MousePos.x) - canvas.min.x,
                           double(io.MousePos.y) - canvas.min.y};
  if (hovered && !(drag_ && drag_->moved)) {
    const geometry::Pt at = view_.camera().layout(mouse);
    pointed.node = layout::box_at(scene_, shown_boxes, at);
    if (pointed.node < 0)
      pointed.edge = layout::line_at(scene_, shown_lines, at,
                                     kLineReach * canvas.theme.scale / view_.camera().zoom);
  }
  if (hovered && io.MouseWheel != 0) view_.wheel(io.MouseWheel, mouse, canvas.theme.scale);
  if (ImGui::IsItemActivated()) drag_ = Drag{mouse, view_.corner(), false};
  if (drag_ && ImGui::IsItemActive()) drag(canvas, mouse);
  if (drag_ && ImGui::IsItemDeactivated()) {
    pointed.clicked = !drag_->moved;
    drag_.reset();
  }
  if (pointed.node >= 0) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  return pointed;
}

void GraphPane::drag(const Canvas& canvas, geometry::Pt mouse) {
  const geometry::Pt by = mouse - drag_->from;
  if (!drag_->moved && geometry::length(by) < canvas.px(kDragAfter)) return;
  if (!drag_->moved) drag_->corner = view_.camera().origin;
  drag_->moved = true;
  view_.hold();
  view_.put(drag_->corner - by * (1 / view_.camera().zoom));
}

}  // namespace compmond::ui
