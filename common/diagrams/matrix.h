// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "geometry/shapes.h"

// A table of equal cells with pinned names at its left and top. Pure; pixels.
namespace compmond::diagrams {

struct MatrixWish {
  size_t rows = 0, columns = 0;
  geometry::Rect area;                       // of names and cells together
  double names = 0, heads = 0;               // width of the rows' names, height of the columns'
  double least = 0, widest = 0, height = 0;  // of a cell: its width within bounds, its height
};

struct Matrix {
  geometry::Rect cells;          // where cells are to be seen
  double width = 0, height = 0;  // of a cell
  geometry::Pt scroll;           // within what there is
  size_t first_row = 0, end_row = 0, first_column = 0, end_column = 0;  // to be seen
  geometry::Rect cell(size_t row, size_t column) const;
  double full_width = 0, full_height = 0;  // of all cells
};

// Cells as wide as all of them fit, within bounds; `scroll` kept inside what there is.
Matrix matrix(const MatrixWish& wish, geometry::Pt scroll);

// How much of the hue a cell of `count` gets, 0 to 1, where the largest has `most`: on a
// logarithmic scale, since counts differ by orders of magnitude. 0 for none.
double cell_share(uint64_t count, uint64_t most);

struct MatrixPlace {
  long row = -1, column = -1;  // -1: on none; on a name, the other one is -1
};
MatrixPlace matrix_at(const MatrixWish& wish, const Matrix& matrix, geometry::Pt at);

}  // namespace compmond::diagrams
