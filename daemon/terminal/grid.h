// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "terminal/paint.h"

namespace compmond::terminal {

struct Column {
  std::string title;
  bool right = true;
  size_t least = 0;  // columns, so that a live table does not jump with its numbers
  int dispensable =
      0;  // where room is short the column with the highest number goes first; 0 stays
  bool reserved = false;  // `least` columns are kept for it while it is empty
};

struct Cell {
  std::string text;
  Ink ink = Ink::kPlain;
};

// One line. Where `span` is set it takes the place of all cells but the first, cut at its
// end where it is too long.
struct Row {
  std::vector<Cell> cells;
  std::string span;
  Ink span_ink = Ink::kAmber;
};

// Lines up rows under titles in at most `width` columns: drops dispensable columns and columns that
// are empty throughout, then shortens the first one. Which columns stay follows from their titles
// and `least`, not from the numbers of the moment, so that they do not come and go in a live table.
class Grid {
 public:
  // Before columns are dropped, the first one gives way down to `name_share` of the width.
  Grid(std::vector<Column> columns, double name_share)
      : columns_(std::move(columns)), name_share_(name_share) {}
  void add(Row row) { rows_.push_back(std::move(row)); }
  bool empty() const { return rows_.empty(); }
  // The titles, then one line per row.
  std::vector<std::string> lines(const Style& style, size_t width) const;

 private:
  std::vector<size_t> widths(size_t width) const;
  bool drop_worst(std::vector<size_t>& widths) const;
  std::string line(const Style& style, const Row& row, const std::vector<size_t>& widths,
                   size_t width) const;

  std::vector<Column> columns_;
  double name_share_;
  std::vector<Row> rows_;
};

}  // namespace compmond::terminal
