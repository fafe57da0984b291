// SPDX-License-Identifier: Apache-2.0
#include "diagrams/matrix.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

using namespace compmond::diagrams;
using namespace compmond::geometry;

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

TEST_CASE("matrix: the colour of a cell tells one call from none and the most from all others") {
  CHECK(cell_share(0, 100) == 0);
  CHECK(cell_share(1, 1'000'000) > 0.1);
  CHECK(cell_share(999, 1'000) < 1);
  CHECK(cell_share(1'000, 1'000) == doctest::Approx(1));
  CHECK(cell_share(1, 0) == doctest::Approx(1));
}
