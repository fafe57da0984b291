// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <initializer_list>
#include <set>
#include <string>
#include <utility>

#include "layout/map_graph.h"

namespace compmond::layout {

// The large form of the reference example, as ten components call each other.
inline MapGraph file_host() {
  MapGraph graph;
  for (const char* name :
       {"HTTPServer", "UploadManager", "PluginManager", "FileHandler", "FileEncrypter", "FSWriter",
        "DirReader", "FileReader", "FileDecrypter", "AccessControl"})
    graph.nodes.push_back({name, -1, true, false});
  for (const auto& [from, to] : std::initializer_list<std::pair<int, int>>{
           {0, 9}, {0, 1}, {0, 6}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {6, 7}, {7, 8}})
    graph.edges.push_back({from, to, true});
  return graph;
}

// Nested at random when `number()` (any int from 0) says so; edges likewise.
template <class Number>
MapGraph random_graph(int nodes, int edges, Number number) {
  MapGraph graph;
  for (int n = 0; n < nodes; ++n) {
    const int parent = n > 0 && number() % 2 ? number() % n : -1;
    graph.nodes.push_back({fmt::format("c{}", n), parent, true, false});
    if (parent >= 0) graph.nodes[size_t(parent)].has_frame = true;
  }
  for (MapNode& node : graph.nodes) node.has_box = !node.has_frame || number() % 2;
  std::set<std::pair<int, int>> pairs;
  for (int e = 0; e < edges; ++e) {
    const int from = number() % nodes, to = number() % nodes;
    if (from != to && pairs.emplace(from, to).second)
      graph.edges.push_back({from, to, number() % 3 > 0});
  }
  return graph;
}

// A tree of calls with some calls across: what a large program's components look like.
inline MapGraph large_graph(int nodes) {
  MapGraph graph;
  uint32_t state = 1;
  const auto number = [&] { return int((state = state * 1103515245 + 12345) >> 8 & 0xffff); };
  std::set<std::pair<int, int>> pairs;
  for (int n = 0; n < nodes; ++n) graph.nodes.push_back({fmt::format("c{}", n), -1, true, false});
  for (int n = 1; n < nodes; ++n) pairs.emplace(number() % n, n);
  for (int n = 2; n < nodes / 2; ++n) {
    const int other = number() % n;
    if (other != n) pairs.emplace(other, n);
  }
  for (const auto& [from, to] : pairs) graph.edges.push_back({from, to, true});
  return graph;
}

}  // namespace compmond::layout
