// SPDX-License-Identifier: Apache-2.0
#include "layout/growing_graph.h"

namespace compmond::layout {

int GrowingGraph::added(const std::string& key, MapNode node) {
  const auto [at, fresh] = nodes_.emplace(key, int(graph_.nodes.size()));
  if (fresh) graph_.nodes.push_back(std::move(node));
  return at->second;
}

int GrowingGraph::node(const std::string& key, int parent) {
  return added(key, {key, parent, true, false});
}

int GrowingGraph::frame(const std::string& key) { return added(key, {key, -1, false, true}); }

int GrowingGraph::edge(int from, int to) {
  const auto [at, fresh] = edges_.emplace(std::pair(from, to), int(graph_.edges.size()));
  if (fresh) graph_.edges.push_back({from, to, false});
  return at->second;
}

int GrowingGraph::find_edge(int from, int to) const {
  const auto at = edges_.find({from, to});
  return at == edges_.end() ? -1 : at->second;
}

}  // namespace compmond::layout
