// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "geometry/shapes.h"
#include "snapshot/snapshot.h"

// What the map shows, without figures: components and connections.
namespace compmond::layout {

struct MapNode {
  std::string name;  // path
  int parent = -1;   // index of the component around it
  bool has_box =
      true;  // false: it has neither operations nor connections, only a frame around others
  bool has_frame = false;  // it contains components
  bool operator==(const MapNode&) const = default;
};

struct MapEdge {
  int from = 0, to = 0;  // indices of nodes, never equal
  bool declared = false;
  bool operator==(const MapEdge&) const = default;
};

struct MapGraph {
  std::vector<MapNode> nodes;  // a parent before its children
  std::vector<MapEdge> edges;  // each pair once
  bool operator==(const MapGraph&) const = default;
};

// Components and edges of a snapshot; edges from outside, to itself and to unknown names are left
// out. The same snapshot with other figures gives the same graph.
MapGraph map_graph(const snapshot::Snapshot& snapshot);

// The same with the connections of `before`, which had the same components: what was seen once
// keeps its line while windows change. With others it is `now`.
MapGraph grown(const MapGraph& before, MapGraph now);

// Changes when boxes have to be placed anew: with the components and, where there were no
// connections at all, with the first ones seen. Which of them are called changes nothing.
std::string placement_key(const MapGraph& graph);

// Sizes in layout units.
struct MapStyle {
  double box_width = 172, box_height = 78;
  double gap_x = 72, gap_y = 34;               // between boxes; labels of edges fit into gap_x
  double frame_margin = 16, frame_title = 26;  // around the boxes of a frame, and above them
  double area_width = 880, area_height = 516;  // to be filled well
};

// Frames around the boxes of the shown nodes (empty: all), where such boxes are.
std::vector<geometry::Rect> frames_around(const MapGraph& graph,
                                          const std::vector<geometry::Rect>& boxes,
                                          const MapStyle& style, const std::vector<char>& shown);

}  // namespace compmond::layout
