// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "layout/map_graph.h"

namespace compmond::layout {

// Where the boxes of a graph stand before anybody moves them, and the lines that were routed
// between them on the way.
struct MapPlan {
  std::vector<geometry::Rect> boxes;  // per node; empty where it has none; none overlap
  std::map<std::pair<int, int>, geometry::Curve>
      routes;  // from caller to callee, where there is one
};

// Layered from left to right by Graphviz's dot engine, in this process; parts without connection to
// each other are packed side by side. Nested components stand together, apart from others. Should
// the engine fail, all stands in a grid, without routes. Takes from a millisecond (10 components)
// to about a second (1,000), so call it off the frame, from any thread: calls wait for each other,
// as the library is for one thread at a time. Deterministic.
MapPlan arrange(const MapGraph& graph, const MapStyle& style);

}  // namespace compmond::layout
