// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/out.h"

namespace compmond::exporting {

// Rows lined up under titles, as wide as they need: documents for people, not for a terminal's
// width. Names are made harmless.
class TextTable {
 public:
  struct Column {
    std::string title;
    bool right = true;
  };
  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add(std::vector<std::string> cells);
  void write(Out& out) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace compmond::exporting
