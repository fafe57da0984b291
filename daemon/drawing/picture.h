// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graphs/call_tree.h"
#include "graphs/dependency_graph.h"
#include "graphs/markov.h"
#include "snapshot/snapshot.h"

// Graphs as pictures: every analysis that is a graph becomes one shape, which is drawn, or
// written in the languages of Graphviz and PlantUML.
namespace compmond::drawing {

struct GraphPicture {
  struct Node {
    std::string label;  // lines separated by \n
    int group = -1;     // of groups; -1: none
    bool outside = false;
    double heat = 0;  // 0..1, how dark it is filled
  };
  struct Edge {
    uint32_t from = 0, to = 0;  // nodes
    std::string label;
    double weight = 0;  // 0..1, how thick
    bool dashed = false;
  };
  std::string title;
  bool left_to_right = true;
  std::vector<std::string> groups;
  std::vector<Node> nodes;
  std::vector<Edge> edges;
};

// Operations are grouped by component, components by host where hosts count.
GraphPicture picture(const graphs::DependencyGraph& graph);
GraphPicture picture(const graphs::CallTree& tree);
GraphPicture picture(const graphs::MarkovChain& chain);
// Components and the calls between them; connections of the spec that were not seen are dashed.
// Where some components are known by samples alone, or probes were away, times are estimates ("≈").
GraphPicture picture(const snapshot::Snapshot& snapshot);

// Amounts, of which each edge has one, to thickness: on a square root scale, so that little stays
// visible.
void weigh(GraphPicture& picture, const std::vector<double>& amounts);

}  // namespace compmond::drawing
