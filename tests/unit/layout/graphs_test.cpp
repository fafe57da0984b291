// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "layout/graph_pick.h"
#include "layout/growing_graph.h"
#include "layout/matrix.h"

using namespace compmond::layout;

TEST_CASE("growing graph: what was there keeps its number, what comes is added") {
  GrowingGraph graph;
  const int frame = graph.frame("f"), a = graph.node("a", frame), b = graph.node("b");
  CHECK(graph.edge(a, b) == 0);
  CHECK(graph.edge(b, a) == 1);
  CHECK(graph.edge(a, b) == 0);
  CHECK(graph.node("a") == a);
  CHECK(graph.find_node("c") == -1);
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

TEST_CASE("matrix: cells are as wide as fit, within bounds, what cannot be seen is scrolled to") {
  MatrixWish wish{4, 4, {0, 0, 500, 300}, 100, 60, 20, 70, 24};
  Matrix few = matrix(wish, {50, 50});
  CHECK(few.width == 70);
  CHECK(few.scroll == Pt{});
  CHECK(few.cells == Rect{100, 60, 380, 156});
  CHECK(few.end_row == 4);
  wish.rows = wish.columns = 100;
  const Matrix many = matrix(wish, {1'000'000, 30});
  CHECK(many.width == 20);
  CHECK(many.scroll == Pt{100 * 20 - 400, 30});
  CHECK(many.end_column == 100);
  CHECK(many.first_column == 80);
  CHECK(many.first_row == 1);
}

TEST_CASE("matrix: a place in a cell is that cell, whatever the scroll") {
  rc::check([] {
    const auto count = *rc::gen::inRange<size_t>(0, 200);
    const MatrixWish wish{count, count, {10, 20, 610, 420}, 120, 80, 20, 60, 24};
    const Pt scroll{double(*rc::gen::inRange(0, 5'000)), double(*rc::gen::inRange(0, 5'000))};
    const Matrix at = matrix(wish, scroll);
    RC_ASSERT(at.end_row <= count && at.end_column <= count);
    for (size_t row = at.first_row; row < at.end_row; row += 7) {
      const Pt middle = at.cell(row, at.first_column).centre();
      if (!at.cells.contains(middle)) continue;
      const MatrixPlace place = matrix_at(wish, at, middle);
      RC_ASSERT(place.row == long(row) && place.column == long(at.first_column));
    }
    const MatrixPlace corner = matrix_at(wish, at, {15, 25});
    RC_ASSERT(corner.row == -1 && corner.column == -1);
  });
}
