// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "layout/graph_pick.h"
#include "layout/growing_graph.h"

using namespace compmond::layout;
using namespace compmond::geometry;

TEST_CASE("growing graph: what was there keeps its number, what comes is added") {
  GrowingGraph graph;
  const int frame = graph.frame("f"), a = graph.node("a", frame), b = graph.node("b");
  CHECK(graph.edge(a, b) == 0);
  CHECK(graph.edge(b, a) == 1);
  CHECK(graph.edge(a, b) == 0);
  CHECK(graph.node("a") == a);
  CHECK(graph.find_edge(a, frame) == -1);
  CHECK(graph.graph().nodes[size_t(a)].parent == frame);
  CHECK(graph.graph().nodes[size_t(frame)].has_frame);
  CHECK_FALSE(graph.graph().nodes[size_t(frame)].has_box);
  CHECK(graph.graph().edges.size() == 2);
}

TEST_CASE("graph pick: a box, else the nearest line that is shown") {
  GrowingGraph graph;
  const int a = graph.node("a"), b = graph.node("b");
  graph.edge(a, b);
  const MapScene scene = compose(graph.graph(), arrange(graph.graph(), {}), {}, {});
  CHECK(box_at(scene, {}, scene.boxes[0].centre()) == a);
  CHECK(box_at(scene, {0, 1}, scene.boxes[0].centre()) == -1);
  const Pt middle = along(scene.lines[0], 0.5).at;
  CHECK(box_at(scene, {}, middle) == -1);
  CHECK(line_at(scene, {}, middle + Pt{0, 2}, 6) == 0);
  CHECK(line_at(scene, {}, middle + Pt{0, 20}, 6) == -1);
  CHECK(line_at(scene, {0}, middle, 6) == -1);
}
