// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <vector>

#include "layout/map_arrange.h"
#include "layout/map_graph.h"

namespace compmond::layout {

// Everything of the map that has a place, in layout units. A value; figures have no part in it.
struct MapScene {
  std::vector<geometry::Rect> boxes;             // per node; empty: it has no box
  std::vector<geometry::Rect> frames;            // per node; empty: it has no frame
  std::vector<geometry::Curve> curves;           // per edge of the graph
  std::vector<std::vector<geometry::Pt>> lines;  // the curves as straight parts
  geometry::Rect bounds;                         // around boxes and frames
};

// Boxes of the plan, except that node i stands with its upper left corner at moved[i]; frames
// around what they hold; the plan's lines where both ends are still in place, new ones for all
// others. The plan must be of a graph with the same nodes. Off the frame when many edges are not in
// the plan.
MapScene compose(const MapGraph& graph, const MapPlan& plan, const MapStyle& style,
                 const std::map<int, geometry::Pt>& moved);

// Moves one box and what hangs on it: its frames and, drawn straight, its lines. Cheap, for
// dragging; compose() afterwards finds the better lines.
void move_box(MapScene& scene, const MapGraph& graph, const MapStyle& style, int node,
              geometry::Pt corner);

}  // namespace compmond::layout
