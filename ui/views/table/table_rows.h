// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "ui/model/model.h"

namespace compmond::ui {

// What the table is sorted by: a column of numbers, or the name.
struct TableOrder {
  static constexpr size_t kName = size_t(-1), kSpec = size_t(-2);  // kSpec: as the spec has them
  size_t column = 0;
  bool descending = true;
  bool operator==(const TableOrder&) const = default;
};

// One line: a component, or one of its operations below it.
struct TableRow {
  size_t component = 0;
  static constexpr size_t kWhole = size_t(-1);
  size_t operation = kWhole;
  size_t depth = 0;       // of the component, below others that are shown
  bool contains = false;  // the component others, whether shown or not
  bool operator==(const TableRow&) const = default;
};

// Its name below `depth` others that are shown: the whole path where it stands alone.
std::string_view shown_name(const snapshot::Component& component, size_t depth);
// Its status, where that is not as one would have it. Calm where somebody wanted it so.
struct StatusMark {
  std::string text;
  bool calm = false;
};
StatusMark status_mark(const snapshot::Snapshot& snapshot, const snapshot::Component& component);

// What the figures of a component are of that others are inside of: "sum" of these where it has no
// operations of its own, else its "own". Empty: it contains none.
const char* whose_mark(const TableRow& row, const snapshot::Component& component);

// Lines of the model's snapshot: shown and found components, siblings in order and children below
// their parents, operations of the expanded ones (all found ones during a search) below them. A
// component stands where the first of what it contains would. Equal ones stay as the spec has them.
std::vector<TableRow> table_rows(const Model& model, const TableOrder& order,
                                 const std::set<std::string>& expanded);

}  // namespace compmond::ui
