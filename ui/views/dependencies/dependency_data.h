// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "layout/growing_graph.h"
#include "protocol/analysis_reports.h"

namespace compmond::ui {

// Response times of some executions, ns.
struct Responses {
  uint64_t count = 0;
  uint64_t min_ns = 0, mean_ns = 0, max_ns = 0;
  void add(const snapshot::DependencyGraph::Edge& edge);
};

// A dependency graph over many answers: boxes and lines keep their numbers, figures are those of
// the newest answer.
struct DependencyData {
  struct Node {
    std::string component, operation;  // operation empty: a component
    std::string place;                 // a program or host; all three empty: outside
    bool frame = false;                // around the operations of its component
    bool present = false;              // in the newest answer
    Responses called;                  // by others and by itself
    Responses itself;                  // its calls to itself alone
    bool outside() const { return component.empty() && place.empty(); }
  };
  layout::GrowingGraph graph;
  std::vector<Node> nodes;                             // per node of the graph
  std::vector<snapshot::DependencyGraph::Edge> edges;  // per edge; ends are nodes of the graph
  uint64_t most = 0;                                   // calls of an edge

  void take(const snapshot::DependencyGraph& answer);
};

// "Web", "Web  web::open(int)", "$ outside".
std::string dependency_name(const DependencyData::Node& node);
// The same for places with little room: "Web  open".
std::string brief_dependency_name(const DependencyData::Node& node);

}  // namespace compmond::ui
