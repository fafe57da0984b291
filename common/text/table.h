// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

// Tables of text: rows lined up under titles.
namespace compmond::text {

// What a text means; who shows it has a colour for that. kHeat and above: steps of hotness.
enum class Ink : uint8_t { kPlain, kTitle, kQuiet, kGood, kAmber, kRed, kLoud, kHeat };

// How a place shows text.
struct Look {
  bool unicode = true;
  std::function<std::string(Ink, std::string_view)> paint;  // none: as it is
};

struct Column {
  std::string title;
  bool right = true;
  size_t least = 0;       // columns, so that a live table does not jump with its numbers
  int dispensable = 0;    // where room is short the highest number goes first; 0 stays
  bool reserved = false;  // `least` columns are kept for it while it is empty
};

struct Cell {
  std::string text;
  Ink ink = Ink::kPlain;
};

// One line. A single cell may take all of it. Where `span` is set it takes the place of all cells
// but the first, cut at its end where it is too long.
struct Row {
  std::vector<Cell> cells;
  std::string span;
  Ink span_ink = Ink::kAmber;
};

// Lines up rows under titles, two blanks between columns. Names are made harmless. In a given width
// it drops dispensable columns and columns that are empty throughout, then shortens the first one.
// Which columns stay follows from their titles and `least`, not from the numbers of the moment, so
// that they do not come and go in a live table.
class Table {
 public:
  // Before columns are dropped, the first one gives way down to `name_share` of the width.
  explicit Table(std::vector<Column> columns, double name_share = 0.5)
      : columns_(std::move(columns)), name_share_(name_share) {}
  void add(Row row);
  void add(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }
  // The titles, then one line per row, of at most `width` columns; without trailing blanks.
  std::vector<std::string> lines(const Look& look, size_t width) const;
  // As wide as they need, with all columns.
  std::vector<std::string> lines() const;

 private:
  std::vector<size_t> natural() const;
  std::vector<size_t> fitted(size_t width) const;
  bool drop_worst(std::vector<size_t>& widths) const;
  std::string line(const Look& look, const Row& row, const std::vector<size_t>& widths,
                   size_t width) const;
  std::vector<std::string> lines(const Look& look, const std::vector<size_t>& widths,
                                 size_t width) const;

  std::vector<Column> columns_;
  double name_share_;
  std::vector<Row> rows_;
};

}  // namespace compmond::text
