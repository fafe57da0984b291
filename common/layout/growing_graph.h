// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>

#include "layout/map_graph.h"

namespace compmond::layout {

// A graph of what has been seen so far: what is there keeps its number, so that boxes stay where
// they are while the figures of one answer follow those of another. In the form that arrange()
// takes.
class GrowingGraph {
 public:
  // The number of the box with this key; a new one stands in the frame `parent` (-1: in none).
  int node(const std::string& key, int parent = -1);
  // The number of a frame around boxes, without a box of its own.
  int frame(const std::string& key);
  // The number of the line between two different boxes.
  int edge(int from, int to);
  const MapGraph& graph() const { return graph_; }
  // -1: none.
  int find_edge(int from, int to) const;

 private:
  int added(const std::string& key, MapNode node);

  MapGraph graph_;
  std::map<std::string, int> nodes_;
  std::map<std::pair<int, int>, int> edges_;
};

}  // namespace compmond::layout
