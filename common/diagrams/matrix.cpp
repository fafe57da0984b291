// SPDX-License-Identifier: Apache-2.0
#include "diagrams/matrix.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace compmond::diagrams {

using geometry::Pt;
using geometry::Rect;

namespace {

// The numbers of the cells of this size that `length` from `scroll` on touches.
std::pair<size_t, size_t> touched(double scroll, double length, double size, size_t count) {
  if (size <= 0) return {0, 0};
  const auto first = std::min(count, size_t(scroll / size));
  return {first, std::min(count, size_t(std::ceil((scroll + length) / size)))};
}

}  // namespace

Rect Matrix::cell(size_t row, size_t column) const {
  const double x = cells.x0 - scroll.x + double(column) * width;
  const double y = cells.y0 - scroll.y + double(row) * height;
  return {x, y, x + width, y + height};
}

Matrix matrix(const MatrixWish& wish, Pt scroll) {
  Matrix out;
  const double left = wish.area.x0 + wish.names, top = wish.area.y0 + wish.heads;
  const double room = std::max(0.0, wish.area.x1 - left), high = std::max(0.0, wish.area.y1 - top);
  out.height = wish.height;
  out.width = std::clamp(wish.columns ? std::floor(room / double(wish.columns)) : 0.0, wish.least,
                         wish.widest);
  out.full_width = out.width * double(wish.columns);
  out.full_height = out.height * double(wish.rows);
  out.cells = {left, top, left + std::min(room, out.full_width),
               top + std::min(high, out.full_height)};
  out.scroll = {std::clamp(scroll.x, 0.0, std::max(0.0, out.full_width - out.cells.width())),
                std::clamp(scroll.y, 0.0, std::max(0.0, out.full_height - out.cells.height()))};
  std::tie(out.first_column, out.end_column) =
      touched(out.scroll.x, out.cells.width(), out.width, wish.columns);
  std::tie(out.first_row, out.end_row) =
      touched(out.scroll.y, out.cells.height(), out.height, wish.rows);
  return out;
}

double cell_share(uint64_t count, uint64_t most) {
  if (count == 0) return 0;
  return 0.1 + 0.9 * std::log1p(double(count)) / std::log1p(double(std::max(count, most)));
}

MatrixPlace matrix_at(const MatrixWish& wish, const Matrix& matrix, Pt at) {
  const Rect& cells = matrix.cells;
  const Rect all{wish.area.x0, wish.area.y0, cells.x1, cells.y1};
  MatrixPlace place;
  if (!all.contains(at) || matrix.width <= 0 || matrix.height <= 0) return place;
  if (at.y >= cells.y0 && at.y < cells.y1)
    place.row =
        std::min(long(wish.rows) - 1, long((at.y - cells.y0 + matrix.scroll.y) / matrix.height));
  if (at.x >= cells.x0 && at.x < cells.x1)
    place.column =
        std::min(long(wish.columns) - 1, long((at.x - cells.x0 + matrix.scroll.x) / matrix.width));
  return place;
}

}  // namespace compmond::diagrams
