// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "layout/map_scene.h"
#include "ui/kit/canvas.h"
#include "ui/kit/pan_zoom.h"
#include "ui/views/graph/graph_lines.h"
#include "ui/views/graph/map_arranger.h"

namespace compmond::ui {

// A graph that only grows, placed off the frame as the map's is, to be zoomed and moved. Boxes stay
// while figures change; a new box or many new lines place all of them anew, a few new lines are led
// around them.
class GraphPane {
 public:
  // Once per frame, with the graph as it is now; numbers of boxes and lines never change.
  void show(const layout::MapGraph& graph, const layout::MapStyle& style, double clock_s);
  void arrange() { anew_ = true; }  // all boxes, with all lines known by now
  void fit() { view_.fit(); }
  // Where all would be smaller than that, look at this box and what is right of it at first.
  void begin_at(int node, double least_zoom) { begin_ = node, least_zoom_ = least_zoom; }
  void clear();  // what comes next is another graph

  // Of what is placed already: numbers are those of the graph, of which the newest may be missing.
  bool ready() const { return !scene_.boxes.empty(); }
  const layout::MapGraph& graph() const { return graph_; }
  const layout::MapScene& scene() const { return scene_; }
  uint64_t revision() const { return revision_; }             // grows with each change of the scene
  size_t asked_boxes() const { return asked_.nodes.size(); }  // that are being placed
  double waiting_s(double clock_s) const { return arranger_.busy() ? clock_s - asked_s_ : 0; }
  // Lines that came after the boxes were placed.
  size_t unplanned_lines() const { return graph_.edges.size() - planned_; }

  // What the pointer is on, and what was done there. Handles wheel and dragging, in `area` (pixels
  // of the screen), which it makes an item of.
  struct Pointed {
    int node = -1, edge = -1;
    bool clicked = false;
  };
  Pointed point(const Canvas& canvas, ImVec2 min, ImVec2 max, const std::vector<char>& shown_boxes,
                const std::vector<char>& shown_lines, double clock_s);
  GraphSight sight(const Canvas& canvas) const { return {canvas, view_.camera()}; }
  bool animates() const { return arranger_.busy() || view_.gliding(); }

 private:
  struct Drag {
    geometry::Pt from, corner;
    bool moved = false;
  };
  void drag(const Canvas& canvas, geometry::Pt mouse);

  MapArranger arranger_;
  layout::MapGraph asked_;  // of the newest job
  double asked_s_ = 0;
  bool anew_ = false;
  layout::MapGraph graph_;  // what the scene shows
  layout::MapScene scene_;
  geometry::Rect drawing_;  // around all of it
  std::shared_ptr<const layout::MapPlan> plan_;
  size_t planned_ = 0;  // lines that the boxes were placed with
  uint64_t revision_ = 0;
  PanZoom view_;
  int begin_ = -1;  // a box
  double least_zoom_ = 0;
  std::optional<Drag> drag_;
};

}  // namespace compmond::ui
