// SPDX-License-Identifier: Apache-2.0
#include "layout/map_graph.h"

#include <map>
#include <string_view>
#include <utility>

namespace compmond::layout {

using geometry::Rect;

MapGraph map_graph(const snapshot::Snapshot& snapshot) {
  MapGraph graph;
  std::map<std::string_view, int> index;
  for (const auto& component : snapshot.components) {
    const auto parent = component.parent ? index.find(*component.parent) : index.end();
    const int parent_index = parent == index.end() ? -1 : parent->second;
    index.emplace(component.name, int(graph.nodes.size()));
    graph.nodes.push_back({component.name, parent_index, !component.operations.empty(), false});
    if (parent_index >= 0) graph.nodes[size_t(parent_index)].has_frame = true;
  }
  std::map<std::pair<int, int>, bool> pairs;
  for (const auto& edge : snapshot.edges) {
    if (!edge.from) continue;
    const auto from = index.find(*edge.from), to = index.find(edge.to);
    if (from == index.end() || to == index.end() || from == to) continue;
    pairs[{from->second, to->second}] |= edge.declared;
  }
  for (const auto& [pair, declared] : pairs)
    graph.edges.push_back({pair.first, pair.second, declared});
  for (MapNode& node : graph.nodes) node.has_box |= !node.has_frame;
  return graph;
}

MapGraph grown(const MapGraph& before, MapGraph now) {
  if (before.nodes != now.nodes) return now;
  std::map<std::pair<int, int>, bool> pairs;
  for (const auto* edges : {&before.edges, &std::as_const(now.edges)})
    for (const MapEdge& edge : *edges) pairs[{edge.from, edge.to}] |= edge.declared;
  now.edges.clear();
  for (const auto& [pair, declared] : pairs)
    now.edges.push_back({pair.first, pair.second, declared});
  return now;
}

std::string placement_key(const MapGraph& graph) {
  std::string key;
  for (const MapNode& node : graph.nodes) key += node.name + (node.has_box ? "\n" : "/\n");
  return key + (graph.edges.empty() ? "" : "seen");
}

std::vector<Rect> frames_around(const MapGraph& graph, const std::vector<Rect>& boxes,
                                const MapStyle& style, const std::vector<char>& shown) {
  std::vector<Rect> inside(graph.nodes.size()), frames(graph.nodes.size());
  // Children stand behind their parents: from the back, what a frame holds is complete.
  for (size_t n = graph.nodes.size(); n-- > 0;) {
    const MapNode& node = graph.nodes[n];
    Rect whole = shown.empty() || shown[n] ? inside[n].joined(boxes[n]) : inside[n];
    if (node.has_frame && !whole.empty()) {
      whole = {whole.x0 - style.frame_margin, whole.y0 - style.frame_title,
               whole.x1 + style.frame_margin, whole.y1 + style.frame_margin};
      frames[n] = whole;
    }
    if (node.parent >= 0) {
      Rect& outer = inside[size_t(node.parent)];
      outer = outer.joined(whole);
    }
  }
  return frames;
}

}  // namespace compmond::layout
