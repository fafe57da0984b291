// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <future>

#include "layout/map_groups.h"
#include "layout/map_scene.h"
#include "layout/route.h"
#include "map_samples.h"

using namespace compmond;
using namespace compmond::layout;
using namespace compmond::geometry;

namespace {

size_t overlaps(const std::vector<Rect>& boxes) {
  size_t count = 0;
  for (size_t i = 0; i < boxes.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      count += !boxes[i].empty() && !boxes[j].empty() && boxes[i].overlaps(boxes[j]);
  return count;
}

bool inside(const MapGraph& graph, int node, int frame) {
  while (node >= 0 && node != frame) node = graph.nodes[size_t(node)].parent;
  return node == frame;
}

snapshot::Snapshot sample_snapshot() {
  snapshot::Snapshot s;
  for (const char* name : {"Web", "Storage", "Storage/Disk", "Log"}) {
    auto& component = s.components.emplace_back();
    component.name = name;
    if (component.name == "Storage/Disk") component.parent = "Storage";
    if (component.name != "Storage") component.operations.emplace_back();
  }
  s.edges = {{std::nullopt, "Web", 5, 1, false},
             {"Web", "Storage/Disk", 5, 1, true},
             {"Web", "Gone", 5, 1, true},
             {"Web", "Log", 0, 0, true}};
  return s;
}

}  // namespace

TEST_CASE("map graph: components and edges between them, without figures") {
  auto s = sample_snapshot();
  const MapGraph graph = map_graph(s);
  REQUIRE(graph.nodes.size() == 4);
  CHECK_FALSE(graph.nodes[1].has_box);
  CHECK(graph.nodes[1].has_frame);
  CHECK(graph.nodes[2].parent == 1);
  REQUIRE(graph.edges.size() == 2);
  CHECK(graph.edges[0] == MapEdge{0, 2, true});
  s.components[0].figures.calls = 77;
  s.components[0].figures.hotness = 100;
  s.edges[1].count = 99;
  CHECK(map_graph(s) == graph);
}

TEST_CASE("map graph: which connections are called, and which the spec has, moves no box") {
  auto s = sample_snapshot();
  const std::string key = placement_key(map_graph(s));
  s.edges.push_back({"Log", "Web", 3, 1, false});
  CHECK(placement_key(map_graph(s)) == key);
  s.edges.push_back({"Log", "Storage/Disk", 7, 1, true});
  CHECK(placement_key(map_graph(s)) == key);
  s.components[0].name = "Other";
  CHECK(placement_key(map_graph(s)) != key);
}

TEST_CASE("map graph: what was seen once keeps its line, unless the components are others") {
  auto s = sample_snapshot();
  const MapGraph before = map_graph(s);
  s.edges = {{"Log", "Web", 3, 1, false}};
  const MapGraph both = grown(before, map_graph(s));
  CHECK(both.edges.size() == before.edges.size() + 1);
  s.edges.clear();
  CHECK(grown(both, map_graph(s)) == both);
  s.components.pop_back();
  CHECK(grown(both, map_graph(s)).edges.empty());
}

TEST_CASE("map graph: where the spec has no connections, the first ones seen place the boxes") {
  auto s = sample_snapshot();
  s.edges.clear();
  const std::string none = placement_key(map_graph(s));
  s.edges.push_back({"Log", "Web", 3, 1, false});
  const std::string one = placement_key(map_graph(s));
  CHECK(one != none);
  s.edges.push_back({"Web", "Log", 3, 1, false});
  CHECK(placement_key(map_graph(s)) == one);
}

TEST_CASE("map ranks: a long chain is folded until the reference example fills its area") {
  const MapStyle style;
  const MapPlan plan = arrange(file_host(), style);
  Rect all;
  for (const Rect& box : plan.boxes) all = all.joined(box);
  CHECK(all.width() <= style.area_width * 1.1);
  CHECK(all.height() <= style.area_height);
  CHECK(overlaps(plan.boxes) == 0);
  // The deepest chain stands in one column, callers above callees.
  CHECK(plan.boxes[4].x0 == doctest::Approx(plan.boxes[5].x0));
  CHECK(plan.boxes[4].y1 < plan.boxes[5].y0);
}

TEST_CASE("map ranks: calls go to the right where nothing is folded") {
  MapGraph graph;
  for (const char* name : {"A", "B", "C"}) graph.nodes.push_back({name, -1, true, false});
  graph.edges = {{0, 1, true}, {1, 2, true}};
  const MapPlan plan = arrange(graph, {});
  CHECK(plan.boxes[0].x1 < plan.boxes[1].x0);
  CHECK(plan.boxes[1].x1 < plan.boxes[2].x0);
  const Curve& route = plan.routes.at({0, 1});
  CHECK(length(route.front() - out_port(plan.boxes[0])) < 2);
  CHECK(length(route.back() - in_port(plan.boxes[1])) < 2);
}

TEST_CASE("map ranks: a hundred callees of one component do not become one column") {
  MapGraph graph;
  for (int n = 0; n <= 100; ++n) graph.nodes.push_back({fmt::format("c{}", n), -1, true, false});
  for (int n = 1; n <= 100; ++n) graph.edges.push_back({0, n, true});
  const MapPlan plan = arrange(graph, {});
  Rect all;
  for (const Rect& box : plan.boxes) all = all.joined(box);
  CHECK(overlaps(plan.boxes) == 0);
  CHECK(all.height() < 4 * all.width());
}

TEST_CASE("map: components without any edge stand in a grid that fills the area") {
  MapGraph graph;
  for (int n = 0; n < 24; ++n) graph.nodes.push_back({fmt::format("c{}", n), -1, true, false});
  const MapPlan plan = arrange(graph, {});
  Rect all;
  for (const Rect& box : plan.boxes) all = all.joined(box);
  CHECK(overlaps(plan.boxes) == 0);
  CHECK(all.width() < 3 * all.height());
  CHECK(all.height() < 1.5 * all.width());
}

TEST_CASE("map: whatever the graph, boxes do not overlap and frames hold just what is theirs") {
  rc::check([] {
    uint32_t state = *rc::gen::inRange<uint32_t>(1, 1u << 30);
    const auto number = [&] { return int((state = state * 1103515245 + 12345) >> 8 & 0xffff); };
    const int nodes = *rc::gen::inRange(1, 40);
    const MapGraph graph = random_graph(nodes, *rc::gen::inRange(0, 2 * nodes), number);
    const MapScene scene = compose(graph, arrange(graph, {}), {}, {});
    RC_ASSERT(overlaps(scene.boxes) == 0u);
    for (int f = 0; f < nodes; ++f) {
      const Rect& frame = scene.frames[size_t(f)];
      for (int n = 0; n < nodes; ++n) {
        const Rect& box = scene.boxes[size_t(n)];
        if (frame.empty() || box.empty()) continue;
        RC_ASSERT(frame.overlaps(box) == inside(graph, n, f));
      }
    }
    for (size_t e = 0; e < graph.edges.size(); ++e) RC_ASSERT(scene.lines[e].size() >= 2u);
  });
}

TEST_CASE("map: the same graph is arranged the same way, from several threads too") {
  const MapGraph graph = large_graph(60);
  const MapPlan first = arrange(graph, {});
  auto other = std::async(std::launch::async, [&] { return arrange(graph, {}); });
  const MapPlan again = arrange(graph, {});
  CHECK(again.boxes == first.boxes);
  CHECK(other.get().boxes == first.boxes);
}

TEST_CASE("map: a thousand components are arranged without overlap") {
  const MapScene scene = [&] {
    const MapGraph graph = large_graph(1000);
    return compose(graph, arrange(graph, {}), {}, {});
  }();
  CHECK(overlaps(scene.boxes) == 0);
  CHECK(scene.boxes.size() == 1000);
}

TEST_CASE("map scene: a box moved by hand is where it was put, all others stay") {
  const MapGraph graph = file_host();
  const MapPlan plan = arrange(graph, {});
  const MapScene scene = compose(graph, plan, {}, {{9, {2000, -300}}});
  CHECK(scene.boxes[9].x0 == 2000);
  CHECK(scene.boxes[9].y0 == -300);
  for (size_t n = 0; n < 9; ++n) CHECK(scene.boxes[n] == plan.boxes[n]);
  // Its line has followed; one between boxes that stayed is the plan's.
  CHECK(length(scene.curves[0].back() - in_port(scene.boxes[9])) < 1e-9);
  CHECK(scene.curves[1] == plan.routes.at({0, 1}));
}

TEST_CASE("map scene: a line that was not planned is added without moving a box") {
  MapGraph graph = file_host();
  const MapPlan plan = arrange(graph, {});
  graph.edges.push_back({2, 5, false});
  const MapScene scene = compose(graph, plan, {}, {});
  CHECK(scene.boxes == plan.boxes);
  REQUIRE(scene.lines.back().size() > 2);
  for (size_t n = 0; n < scene.boxes.size(); ++n) {
    CAPTURE(graph.nodes[n].name);
    CHECK_FALSE(crosses(scene.lines.back(), scene.boxes[n].grown(n == 2 || n == 5 ? -3 : 2)));
  }
}

TEST_CASE("map scene: dragging takes frames and lines along") {
  MapGraph graph;
  graph.nodes = {{"P", -1, false, true}, {"P/a", 0, true, false}, {"b", -1, true, false}};
  graph.edges = {{1, 2, true}};
  const MapStyle style;
  MapScene scene = compose(graph, arrange(graph, style), style, {});
  move_box(scene, graph, style, 1, {-500, 40});
  CHECK(scene.boxes[1].x0 == -500);
  CHECK(scene.frames[0].x0 == -500 - style.frame_margin);
  CHECK(scene.frames[0].y0 == 40 - style.frame_title);
  CHECK(scene.curves[0].front() == out_port(scene.boxes[1]));
  CHECK(scene.bounds.x0 == scene.frames[0].x0);
}

TEST_CASE("map scene: frames close around the shown boxes alone") {
  MapGraph graph;
  graph.nodes = {{"P", -1, false, true}, {"P/a", 0, true, false}, {"P/b", 0, true, false}};
  const std::vector<Rect> boxes = {{}, {0, 0, 10, 10}, {100, 0, 110, 10}};
  CHECK(frames_around(graph, boxes, {}, {1, 1, 0})[0].x1 == 10 + MapStyle{}.frame_margin);
  CHECK(frames_around(graph, boxes, {}, {1, 0, 0})[0].empty());
}

TEST_CASE("map groups: what an edge or a frame joins is one group, all else its own") {
  MapGraph graph;
  graph.nodes = {{"a", -1, true, false},
                 {"P", -1, false, true},
                 {"P/b", 1, true, false},
                 {"c", -1, true, false},
                 {"d", -1, true, false}};
  graph.edges = {{0, 3, true}};
  CHECK(connected_groups(graph) == std::vector<std::vector<int>>{{0, 3}, {1, 2}, {4}});
  const MapGraph part = subgraph(graph, {1, 2});
  CHECK(part.nodes[1].parent == 0);
  CHECK(subgraph(graph, {0, 3}).edges == std::vector<MapEdge>{{0, 1, true}});
}

TEST_CASE("map groups: rectangles are packed without overlap, in the shape of the area") {
  rc::check([] {
    const auto sides = *rc::gen::container<std::vector<std::pair<int, int>>>(
        rc::gen::pair(rc::gen::inRange(10, 900), rc::gen::inRange(10, 900)));
    std::vector<Pt> sizes;
    for (const auto& [w, h] : sides) sizes.push_back({double(w), double(h)});
    const auto corners = packed(sizes, {}, 20);
    std::vector<Rect> rects;
    for (size_t i = 0; i < sizes.size(); ++i)
      rects.push_back(
          {corners[i].x, corners[i].y, corners[i].x + sizes[i].x, corners[i].y + sizes[i].y});
    RC_ASSERT(overlaps(rects) == 0u);
  });
  const std::vector<Pt> chains(10, Pt{900, 240});
  double width = 0, height = 0;
  for (const Pt corner : packed(chains, {}, 40)) {
    width = std::max(width, corner.x + 900);
    height = std::max(height, corner.y + 240);
  }
  CHECK(width > height);
}
