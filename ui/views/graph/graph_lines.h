// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imgui.h>

#include <string>
#include <vector>

#include "geometry/camera.h"
#include "layout/map_scene.h"
#include "ui/kit/canvas.h"

// Lines between the boxes of a scene, as the map and the other graphs draw them.
namespace compmond::ui {

// A scene as it is looked at.
struct GraphSight {
  const Canvas& canvas;
  geometry::Camera camera;
  // Zoom without the screen's scale: 1 shows boxes in their design size.
  float zoom() const { return float(camera.zoom) / canvas.theme.scale; }
  ImVec2 screen(geometry::Pt at) const;
  bool visible(const geometry::Rect& rect) const;  // any of it on the canvas
};

struct Stroke {
  ImU32 colour = 0;
  float width = 1;
  bool dashed = false;
  float covered = 0;  // pixels of its end that lie below something at the side of a box
};
// With an arrow's head at its end, where that can be seen.
void draw_graph_line(const GraphSight& sight, const std::vector<geometry::Pt>& line, Stroke stroke);

// Labels beside lines. They keep their places while nothing but their text changes.
class LineLabels {
 public:
  struct Wish {
    size_t edge = 0;  // of the scene
    std::string text;
    std::string brief;  // where there is no room for the text; may be the same
    ImU32 colour = 0;
  };
  // `revision` grows with each change of the scene; `boxes` (layout units) and `lines` are shown
  // and to be kept free of labels. Too far away or too many: none.
  void place(const GraphSight& sight, const layout::MapScene& scene, uint64_t revision,
             const std::vector<geometry::Rect>& boxes, const std::vector<size_t>& lines,
             const std::vector<Wish>& wishes);
  void draw(const GraphSight& sight) const;

 private:
  struct Label {
    std::string text;
    ImU32 colour = 0;
    bool shortened = false;
    ImVec2 at;  // relative to the layout's origin at the current zoom
  };
  std::string key_;  // what the labels were placed for
  std::vector<Label> labels_;
};

}  // namespace compmond::ui
