// SPDX-License-Identifier: Apache-2.0
#include "layout/map_ranks.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace compmond::layout {
namespace {

constexpr int kMaxStagger = 12;        // columns over which the children of one node are spread
constexpr size_t kMaxFoldNodes = 300;  // larger graphs are spread, not folded: folding is quadratic

class Ranks {
 public:
  explicit Ranks(const MapGraph& graph) : graph_(graph), out_(graph.nodes.size()) {
    in_degree_.resize(graph.nodes.size());
    for (int e = 0; e < int(graph.edges.size()); ++e) {
      out_[size_t(graph.edges[size_t(e)].from)].push_back(e);
      ++in_degree_[size_t(graph.edges[size_t(e)].to)];
    }
    find_order();
  }

  // Column of each node by the longest path to it; edges that close a cycle do not count.
  std::vector<int> columns(const std::vector<RankHints::Edge>& hints) const {
    std::vector<int> column(graph_.nodes.size());
    for (const int node : order_)
      for (const int e : out_[size_t(node)]) {
        if (closes_cycle_[size_t(e)]) continue;
        const auto& hint = hints[size_t(e)];
        int& to = column[size_t(graph_.edges[size_t(e)].to)];
        to = std::max(to, column[size_t(node)] + (hint.same_column ? 0 : hint.columns));
      }
    return column;
  }

  bool isolated(int node) const {
    return out_[size_t(node)].empty() && in_degree_[size_t(node)] == 0;
  }
  // The only call of its caller and the only one to its callee, in one frame.
  bool chained(int e) const {
    const MapEdge& edge = graph_.edges[size_t(e)];
    return !closes_cycle_[size_t(e)] && out_[size_t(edge.from)].size() == 1 &&
           in_degree_[size_t(edge.to)] == 1 && graph_.nodes[size_t(edge.from)].has_box &&
           graph_.nodes[size_t(edge.to)].has_box &&
           graph_.nodes[size_t(edge.from)].parent == graph_.nodes[size_t(edge.to)].parent;
  }
  const std::vector<int>& calls(int node) const { return out_[size_t(node)]; }
  bool closes_cycle(int e) const { return closes_cycle_[size_t(e)]; }

 private:
  // Depth first from the nodes that nobody calls: reverse postorder, callers before callees.
  void find_order() {
    closes_cycle_.assign(graph_.edges.size(), 0);
    std::vector<char> state(graph_.nodes.size(), 0);  // 1: on the path, 2: done
    std::vector<std::pair<int, size_t>> path;
    const auto visit = [&](int root) {
      if (state[size_t(root)] != 0) return;
      state[size_t(root)] = 1;
      path.emplace_back(root, 0);
      while (!path.empty()) {
        auto& [node, next] = path.back();
        if (next == out_[size_t(node)].size()) {
          state[size_t(node)] = 2;
          order_.push_back(node);
          path.pop_back();
          continue;
        }
        const int e = out_[size_t(node)][next++];
        const int to = graph_.edges[size_t(e)].to;
        closes_cycle_[size_t(e)] = state[size_t(to)] == 1;
        if (state[size_t(to)] != 0) continue;
        state[size_t(to)] = 1;
        path.emplace_back(to, 0);
      }
    };
    for (int n = 0; n < int(graph_.nodes.size()); ++n)
      if (in_degree_[size_t(n)] == 0) visit(n);
    for (int n = 0; n < int(graph_.nodes.size()); ++n) visit(n);
    std::reverse(order_.begin(), order_.end());
  }

  const MapGraph& graph_;
  std::vector<std::vector<int>> out_;  // edges by caller
  std::vector<int> in_degree_;
  std::vector<int> order_;
  std::vector<char> closes_cycle_;
};

// The zoom at which so many columns and rows fit the area, at most 1.
double zoom(const MapStyle& style, int columns, int rows) {
  const double width = columns * (style.box_width + style.gap_x);
  const double height = rows * (style.box_height + style.gap_y);
  return std::min({1.0, style.area_width / width, style.area_height / height});
}

struct Extent {
  int columns = 0, rows = 0;
};

Extent extent(const MapGraph& graph, const Ranks& ranks,
              const std::vector<RankHints::Edge>& hints) {
  const auto column = ranks.columns(hints);
  std::vector<int> rows(graph.nodes.size() * (kMaxStagger + 1) + 1);
  Extent result;
  for (int n = 0; n < int(graph.nodes.size()); ++n) {
    if (!graph.nodes[size_t(n)].has_box || ranks.isolated(n)) continue;
    result.columns = std::max(result.columns, column[size_t(n)] + 1);
    result.rows = std::max(result.rows, ++rows[size_t(column[size_t(n)])]);
  }
  return result;
}

// Puts callees below their callers, the deepest first, until no path has more than `limit` columns.
bool fold(const MapGraph& graph, const Ranks& ranks, int limit,
          std::vector<RankHints::Edge>& hints) {
  for (size_t round = 0; round <= graph.edges.size(); ++round) {
    const auto column = ranks.columns(hints);
    const auto deepest = std::max_element(column.begin(), column.end());
    if (deepest == column.end() || *deepest < limit) return true;
    // Backwards along the longest path to the last edge that may be folded.
    int node = int(deepest - column.begin()), folded = -1;
    for (bool moved = true; moved && folded < 0;) {
      moved = false;
      for (int e = 0; e < int(graph.edges.size()) && !moved; ++e) {
        const MapEdge& edge = graph.edges[size_t(e)];
        const auto& hint = hints[size_t(e)];
        if (edge.to != node || ranks.closes_cycle(e) ||
            column[size_t(edge.from)] + (hint.same_column ? 0 : hint.columns) !=
                column[size_t(node)])
          continue;
        if (!hint.same_column && ranks.chained(e)) folded = e;
        node = edge.from;
        moved = true;
      }
    }
    if (folded < 0) return false;
    hints[size_t(folded)].same_column = true;
  }
  return false;
}

// Spreads the callees of each node over `stagger` columns.
void spread(const MapGraph& graph, const Ranks& ranks, int stagger,
            std::vector<RankHints::Edge>& hints) {
  for (int n = 0; n < int(graph.nodes.size()); ++n) {
    const auto& calls = ranks.calls(n);
    if (int(calls.size()) <= stagger) continue;
    for (size_t i = 0; i < calls.size(); ++i)
      hints[size_t(calls[i])].columns = 1 + int(i) % stagger;
  }
}

}  // namespace

RankHints rank_hints(const MapGraph& graph, const MapStyle& style) {
  const Ranks ranks(graph);
  RankHints best;
  best.edges.resize(graph.edges.size());
  Extent size = extent(graph, ranks, best.edges);
  double best_zoom = zoom(style, std::max(1, size.columns), std::max(1, size.rows));
  const auto consider = [&](std::vector<RankHints::Edge>&& hints) {
    const Extent candidate = extent(graph, ranks, hints);
    const double z = zoom(style, std::max(1, candidate.columns), std::max(1, candidate.rows));
    if (z <= best_zoom * 1.02) return;  // a bend must be worth it
    best_zoom = z;
    size = candidate;
    best.edges = std::move(hints);
  };
  if (graph.nodes.size() <= kMaxFoldNodes)
    for (int limit = size.columns - 1; limit >= 1; --limit) {
      std::vector<RankHints::Edge> hints(graph.edges.size());
      if (fold(graph, ranks, limit, hints)) consider(std::move(hints));
    }
  for (int stagger = 2; stagger <= kMaxStagger; ++stagger) {
    std::vector<RankHints::Edge> hints(graph.edges.size());
    spread(graph, ranks, stagger, hints);
    consider(std::move(hints));
  }
  const auto column = ranks.columns(best.edges);
  for (size_t e = 0; e < graph.edges.size(); ++e)
    best.edges[e].span = column[size_t(graph.edges[e].to)] - column[size_t(graph.edges[e].from)];
  return best;
}

}  // namespace compmond::layout
