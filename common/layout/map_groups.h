// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "layout/map_graph.h"

// Parts of a graph that have nothing to do with each other are arranged one by one and then packed,
// or they would stand in one endless column.
namespace compmond::layout {

// Nodes that are joined by edges or by a common frame, each group in the order of the graph; groups
// in the order of their first nodes. Every node is in exactly one.
std::vector<std::vector<int>> connected_groups(const MapGraph& graph);

// The graph of some nodes alone, with the edges between them. `nodes` holds with a node its parent.
MapGraph subgraph(const MapGraph& graph, const std::vector<int>& nodes);

// Upper left corners for rectangles of these sizes (as {width, height}): in rows, the highest
// first, `gap` apart, in the shape that fills the style's area best. None overlap.
std::vector<geometry::Pt> packed(const std::vector<geometry::Pt>& sizes, const MapStyle& style,
                                 double gap);

}  // namespace compmond::layout
