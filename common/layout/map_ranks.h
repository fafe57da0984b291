// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "layout/map_graph.h"

namespace compmond::layout {

// How the drawing is bent to fill its area: a graph of one long chain would become a thin line, one
// with a hundred children of one node a tall column, and both illegible once they fit the screen.
struct RankHints {
  struct Edge {
    bool same_column = false;  // the callee stands below its only caller instead of right of it
    int columns = 1;           // else how many columns further right at least
    int span = 0;              // how many columns it leads to the right; below 0: to the left
  };
  std::vector<Edge> edges;  // of graph.edges
};

// Pure; the best of some dozens of candidates by the estimated zoom at which all is visible. Time
// grows with nodes + edges times the number of columns.
RankHints rank_hints(const MapGraph& graph, const MapStyle& style);

}  // namespace compmond::layout
