// SPDX-License-Identifier: Apache-2.0
#include "layout/map_arrange.h"

#include <fmt/format.h>
#include <gvc.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "layout/map_groups.h"
#include "layout/map_ranks.h"

// The engine itself, linked rather than looked up: the library's own list of plugins is made at
// installation and may be missing, and reading it would load fonts that nothing here needs.
extern "C" gvplugin_library_t gvplugin_dot_layout_LTX_library;

namespace compmond::layout {

using geometry::Curve;
using geometry::Pt;
using geometry::Rect;

namespace {

constexpr double kDense = 1.6;  // lines per box: from here on they need more room than the boxes

constexpr double kPointsPerInch = 72;   // a layout unit is a point to Graphviz
constexpr size_t kMaxDotEdges = 4'000;  // beyond, the engine takes minutes
constexpr size_t kCarefulNodes = 150;   // up to here it may search as long as it likes
// In larger graphs it is not told of longer lines, which take it minutes; they are routed later.
constexpr int kMaxSpan = 6;  // columns

// One graph in Graphviz's memory.
class Dot {
 public:
  Dot(const MapGraph& graph, const MapStyle& style)
      : graph_(graph), style_(style), hints_(rank_hints(graph, style)) {
    lt_symlist_t plugins[] = {{"gvplugin_dot_layout_LTX_library", &gvplugin_dot_layout_LTX_library},
                              {nullptr, nullptr}};
    context_ = gvContextPlugins(plugins, 0);
    agseterr(AGMAX);  // it prints to stderr otherwise
    dot_ = agopen(text("map"), Agdirected, nullptr);
    set_defaults();
    add_nodes();
    add_edges();
    add_grids();
  }
  Dot(const Dot&) = delete;
  Dot& operator=(const Dot&) = delete;
  ~Dot() {
    if (laid_out_) gvFreeLayout(context_, dot_);
    agclose(dot_);
    gvFreeContext(context_);
  }

  bool lay_out() {
    laid_out_ = gvLayout(context_, dot_, "dot") == 0;
    return laid_out_;
  }

  MapPlan plan() const {
    MapPlan plan;
    plan.boxes.resize(graph_.nodes.size());
    for (size_t n = 0; n < nodes_.size(); ++n) {
      if (!nodes_[n]) continue;
      const pointf at = ND_coord(nodes_[n]);
      const double w = style_.box_width / 2, h = style_.box_height / 2;
      plan.boxes[n] = {at.x - w, -at.y - h, at.x + w, -at.y + h};
    }
    for (size_t e = 0; e < edges_.size(); ++e) {
      if (!edges_[e]) continue;
      const auto [from, to, declared] = graph_.edges[e];
      Curve curve = route(edges_[e], plan.boxes[size_t(from)]);
      if (!curve.empty()) plan.routes.emplace(std::pair(from, to), std::move(curve));
    }
    return plan;
  }

 private:
  // The library takes char* but does not write to it.
  static char* text(const char* literal) { return const_cast<char*>(literal); }
  void attribute(int kind, const char* name, const std::string& value) {
    agattr(dot_, kind, text(name), text(value.c_str()));
  }
  static void set(void* object, const char* name, const std::string& value) {
    agset(object, text(name), text(value.c_str()));
  }
  static std::string inches(double units) { return fmt::format("{:.4f}", units / kPointsPerInch); }

  // Every line that passes a column takes a place in it, and such a gap beside it.
  double gap_y() const {
    const bool dense = double(graph_.edges.size()) > kDense * double(graph_.nodes.size());
    return dense ? style_.gap_y / 4 : style_.gap_y;
  }

  void set_defaults() {
    attribute(AGRAPH, "rankdir", "LR");
    attribute(AGRAPH, "ranksep", inches(style_.gap_x));
    attribute(AGRAPH, "nodesep", inches(gap_y()));
    attribute(AGRAPH, "rank", "");
    // One ranking for all frames: the older one, frame by frame, fails where a column is shared
    // inside a frame.
    attribute(AGRAPH, "newrank", "true");
    // Room for what a frame adds around its boxes, on all sides.
    attribute(AGRAPH, "margin", fmt::format("{:.1f}", style_.frame_title + 8));
    if (graph_.nodes.size() > kCarefulNodes) {
      // How long to search for the best order and the shortest lines, as multiples of the nodes.
      attribute(AGRAPH, "nslimit", "0.5");
      attribute(AGRAPH, "nslimit1", "0.5");
      attribute(AGRAPH, "mclimit", "0.5");
    }
    attribute(AGNODE, "shape", "box");
    attribute(AGNODE, "fixedsize", "true");
    attribute(AGNODE, "label", "");
    attribute(AGNODE, "width", inches(style_.box_width));
    attribute(AGNODE, "height", inches(style_.box_height));
    attribute(AGEDGE, "arrowhead", "none");
    attribute(AGEDGE, "minlen", "1");
    attribute(AGEDGE, "style", "");
    attribute(AGEDGE, "tailport", "e");
    attribute(AGEDGE, "headport", "w");
  }

  // Names of nodes are numbers: the program's own names never reach the library.
  void add_nodes() {
    nodes_.resize(graph_.nodes.size());
    frames_.resize(graph_.nodes.size(), nullptr);
    for (size_t n = 0; n < nodes_.size(); ++n) {
      const MapNode& node = graph_.nodes[n];
      Agraph_t* around = frame_of(node.parent);
      if (node.has_frame) {
        frames_[n] = agsubg(around, fmt::format("cluster{}", n).data(), 1);
        around = frames_[n];
      }
      if (node.has_box) nodes_[n] = agnode(around, fmt::format("n{}", n).data(), 1);
    }
  }
  Agraph_t* frame_of(int parent) const { return parent < 0 ? dot_ : frames_[size_t(parent)]; }

  void add_edges() {
    edges_.resize(graph_.edges.size());
    has_edge_.resize(nodes_.size());
    for (size_t e = 0; e < std::min(edges_.size(), kMaxDotEdges); ++e) {
      const MapEdge& edge = graph_.edges[e];
      Agnode_t *from = nodes_[size_t(edge.from)], *to = nodes_[size_t(edge.to)];
      if (!from || !to) continue;  // an end is a frame: routed later
      if (nodes_.size() > kCarefulNodes && std::abs(hints_.edges[e].span) > kMaxSpan) continue;
      has_edge_[size_t(edge.from)] = has_edge_[size_t(edge.to)] = true;
      edges_[e] = agedge(dot_, from, to, fmt::format("e{}", e).data(), 1);
      const RankHints::Edge& hint = hints_.edges[e];
      if (hint.columns > 1) set(edges_[e], "minlen", fmt::to_string(hint.columns));
      if (!hint.same_column) continue;
      set(edges_[e], "tailport", "s");
      set(edges_[e], "headport", "n");
      Agraph_t* column = agsubg(frame_of(graph_.nodes[size_t(edge.from)].parent),
                                fmt::format("column{}", e).data(), 1);
      agsubnode(column, from, 1);
      agsubnode(column, to, 1);
      set(column, "rank", "same");
    }
  }

  // What has no edge inside a frame is chained into rows by edges that nobody sees, frame by frame.
  void add_grids() {
    std::vector<std::vector<Agnode_t*>> loose(nodes_.size() + 1);
    for (size_t n = 0; n < nodes_.size(); ++n) {
      if (!nodes_[n] || has_edge_[n]) continue;
      const MapNode& node = graph_.nodes[n];
      loose[size_t((node.has_frame ? int(n) : node.parent) + 1)].push_back(nodes_[n]);
    }
    for (const auto& row : loose) {
      const auto columns = size_t(std::ceil(std::sqrt(double(row.size()))));
      for (size_t i = 1; i < row.size(); ++i)
        if (i % columns != 0)
          set(agedge(dot_, row[i - 1], row[i], text("grid"), 1), "style", "invis");
    }
  }

  static Curve route(Agedge_t* edge, const Rect& from) {
    Curve curve;
    const splines* lines = ED_spl(edge);
    if (!lines || lines->size != 1) return curve;
    const bezier& line = lines->list[0];
    for (int i = 0; i < line.size; ++i) curve.push_back({line.list[i].x, -line.list[i].y});
    if (curve.size() < 4 || curve.size() % 3 != 1) return {};
    // Lines against the direction of the drawing come the wrong way round.
    if (length(curve.front() - from.centre()) > length(curve.back() - from.centre()) &&
        !from.grown(1).contains(curve.front()))
      std::reverse(curve.begin(), curve.end());
    return curve;
  }

  const MapGraph& graph_;
  const MapStyle& style_;
  const RankHints hints_;
  GVC_t* context_ = nullptr;
  Agraph_t* dot_ = nullptr;
  std::vector<Agnode_t*> nodes_;
  std::vector<Agraph_t*> frames_;
  std::vector<Agedge_t*> edges_;
  std::vector<bool> has_edge_;
  bool laid_out_ = false;
};

MapPlan grid(const MapGraph& graph, const MapStyle& style) {
  MapPlan plan;
  plan.boxes.resize(graph.nodes.size());
  const int columns = int(std::ceil(std::sqrt(double(graph.nodes.size()))));
  int at = 0;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    if (!graph.nodes[n].has_box) continue;
    const double x = (at % columns) * (style.box_width + style.gap_x);
    const double y = (at / columns) * (style.box_height + style.gap_y);
    plan.boxes[n] = {x, y, x + style.box_width, y + style.box_height};
    ++at;
  }
  return plan;
}

// A group of components that belong together; from (0, 0).
MapPlan arrange_group(const MapGraph& graph, const MapStyle& style) {
  if (graph.nodes.size() == 1)
    return {{graph.nodes[0].has_box ? Rect{0, 0, style.box_width, style.box_height} : Rect{}}, {}};
  Dot dot(graph, style);
  return dot.lay_out() ? dot.plan() : grid(graph, style);
}

Rect extent(const MapGraph& graph, const MapPlan& plan, const MapStyle& style) {
  Rect all;
  for (const Rect& box : plan.boxes) all = all.joined(box);
  for (const Rect& frame : frames_around(graph, plan.boxes, style, {})) all = all.joined(frame);
  return all;
}

}  // namespace

MapPlan arrange(const MapGraph& graph, const MapStyle& style) {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  const auto groups = connected_groups(graph);
  std::vector<MapPlan> plans;
  std::vector<Rect> extents;
  std::vector<Pt> sizes;
  for (const auto& group : groups) {
    const MapGraph part = subgraph(graph, group);
    plans.push_back(arrange_group(part, style));
    extents.push_back(extent(part, plans.back(), style));
    sizes.push_back({extents.back().width(), extents.back().height()});
  }
  const auto corners = packed(sizes, style, 1.2 * style.gap_y);
  MapPlan whole;
  whole.boxes.resize(graph.nodes.size());
  for (size_t g = 0; g < groups.size(); ++g) {
    const Pt by = corners[g] - Pt{extents[g].x0, extents[g].y0};
    for (size_t n = 0; n < groups[g].size(); ++n)
      if (!plans[g].boxes[n].empty())
        whole.boxes[size_t(groups[g][n])] = plans[g].boxes[n].moved(by);
    for (auto& [ends, curve] : plans[g].routes) {
      for (Pt& point : curve) point = point + by;
      whole.routes.emplace(std::pair(groups[g][size_t(ends.first)], groups[g][size_t(ends.second)]),
                           std::move(curve));
    }
  }
  return whole;
}

}  // namespace compmond::layout
