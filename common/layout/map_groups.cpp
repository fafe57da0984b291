// SPDX-License-Identifier: Apache-2.0
#include "layout/map_groups.h"

#include <algorithm>
#include <numeric>

namespace compmond::layout {

using geometry::Pt;

namespace {

constexpr int kWidths = 40;  // row widths that are tried, from the widest rectangle to one row

// Union-find by path halving.
int root(std::vector<int>& parent, int node) {
  while (parent[size_t(node)] != node) {
    parent[size_t(node)] = parent[size_t(parent[size_t(node)])];
    node = parent[size_t(node)];
  }
  return node;
}

struct Packing {
  std::vector<Pt> corners;
  double width = 0, height = 0;
};

Packing in_rows(const std::vector<Pt>& sizes, const std::vector<size_t>& order, double row_width,
                double gap) {
  Packing packing;
  packing.corners.resize(sizes.size());
  double x = 0, y = 0, row_height = 0;
  for (const size_t i : order) {
    if (x > 0 && x + sizes[i].x > row_width + 1e-6) {
      x = 0;
      y += row_height + gap;
      row_height = 0;
    }
    packing.corners[i] = {x, y};
    packing.width = std::max(packing.width, x + sizes[i].x);
    x += sizes[i].x + gap;
    row_height = std::max(row_height, sizes[i].y);
  }
  packing.height = y + row_height;
  return packing;
}

}  // namespace

std::vector<std::vector<int>> connected_groups(const MapGraph& graph) {
  std::vector<int> parent(graph.nodes.size());
  std::iota(parent.begin(), parent.end(), 0);
  const auto join = [&](int a, int b) {
    const int one = root(parent, a), other = root(parent, b);
    parent[size_t(std::max(one, other))] = std::min(one, other);
  };
  for (size_t n = 0; n < graph.nodes.size(); ++n)
    if (graph.nodes[n].parent >= 0) join(int(n), graph.nodes[n].parent);
  for (const MapEdge& edge : graph.edges) join(edge.from, edge.to);
  std::vector<std::vector<int>> groups;
  std::vector<int> group_of(graph.nodes.size(), -1);
  for (int n = 0; n < int(graph.nodes.size()); ++n) {
    int& group = group_of[size_t(root(parent, n))];
    if (group < 0) {
      group = int(groups.size());
      groups.emplace_back();
    }
    groups[size_t(group)].push_back(n);
  }
  return groups;
}

MapGraph subgraph(const MapGraph& graph, const std::vector<int>& nodes) {
  MapGraph part;
  std::vector<int> place(graph.nodes.size(), -1);
  for (const int n : nodes) {
    place[size_t(n)] = int(part.nodes.size());
    MapNode node = graph.nodes[size_t(n)];
    if (node.parent >= 0) node.parent = place[size_t(node.parent)];
    part.nodes.push_back(std::move(node));
  }
  for (const MapEdge& edge : graph.edges)
    if (place[size_t(edge.from)] >= 0 && place[size_t(edge.to)] >= 0)
      part.edges.push_back({place[size_t(edge.from)], place[size_t(edge.to)], edge.declared});
  return part;
}

std::vector<Pt> packed(const std::vector<Pt>& sizes, const MapStyle& style, double gap) {
  if (sizes.empty()) return {};
  std::vector<size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return sizes[a].y > sizes[b].y; });
  double widest = 0, all = -gap;
  for (const Pt& size : sizes) {
    widest = std::max(widest, size.x);
    all += size.x + gap;
  }
  Packing best;
  double best_zoom = 0;
  for (int i = 0; i <= kWidths; ++i) {
    // Widths rise faster towards the end: near one row, little changes.
    const double share = double(i) / kWidths;
    Packing packing = in_rows(sizes, order, widest + (all - widest) * share * share, gap);
    const double zoom =
        std::min({1.0, style.area_width / packing.width, style.area_height / packing.height});
    if (zoom <= best_zoom) continue;
    best_zoom = zoom;
    best = std::move(packing);
  }
  return best.corners;
}

}  // namespace compmond::layout
