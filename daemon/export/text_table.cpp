// SPDX-License-Identifier: Apache-2.0
#include "export/text_table.h"

#include <algorithm>

#include "base/text.h"

namespace compmond::exporting {

void TextTable::add(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = clean(cell);
  rows_.push_back(std::move(cells));
}

void TextTable::write(Out& out) const {
  std::vector<size_t> widths;
  for (size_t i = 0; i < columns_.size(); ++i) {
    widths.push_back(columns(columns_[i].title));
    for (const auto& row : rows_) widths[i] = std::max(widths[i], columns(row[i]));
  }
  const auto line = [&](const auto& text_of) {
    std::string text;
    for (size_t i = 0; i < columns_.size(); ++i)
      text += (i == 0 ? "" : "  ") + padded(text_of(i), widths[i], columns_[i].right);
    text.resize(text.find_last_not_of(' ') + 1);
    out.put(text + "\n");
  };
  line([&](size_t i) -> const std::string& { return columns_[i].title; });
  for (const auto& row : rows_) line([&](size_t i) -> const std::string& { return row[i]; });
}

}  // namespace compmond::exporting
