// SPDX-License-Identifier: Apache-2.0
#include "text/table.h"

#include <algorithm>

#include "text/clean.h"
#include "text/columns.h"

namespace compmond::text {
namespace {

constexpr size_t kGap = 2;
constexpr size_t kLeastName = 12;  // shorter names do not tell components apart
constexpr size_t kSpanRoom = 30;   // a refusal's reason needs about this much beside the name

size_t total(const std::vector<size_t>& widths) {
  size_t sum = 0;
  for (size_t w : widths) sum += w > 0 ? w + kGap : 0;
  return sum > 0 ? sum - kGap : 0;
}

std::string painted(const Look& look, Ink ink, const std::string& text) {
  return look.paint ? look.paint(ink, text) : text;
}

}  // namespace

void Table::add(Row row) {
  for (Cell& cell : row.cells) cell.text = clean(cell.text);
  row.span = clean(row.span);
  rows_.push_back(std::move(row));
}

void Table::add(std::vector<std::string> cells) {
  Row row;
  for (std::string& cell : cells) row.cells.push_back({std::move(cell)});
  add(std::move(row));
}

// The widest cell of each column.
std::vector<size_t> Table::natural() const {
  std::vector<size_t> out(columns_.size(), 0);
  for (const Row& row : rows_)
    for (size_t i = 0; i < row.cells.size(); ++i)
      out[i] = std::max(out[i], columns(row.cells[i].text));
  return out;
}

// False when no dispensable column is left.
bool Table::drop_worst(std::vector<size_t>& widths) const {
  size_t worst = 0;
  for (size_t i = 1; i < widths.size(); ++i)
    if (widths[i] > 0 && columns_[i].dispensable > (worst ? columns_[worst].dispensable : 0))
      worst = i;
  if (worst > 0) widths[worst] = 0;
  return worst > 0;
}

// Zero for a column that is not shown.
std::vector<size_t> Table::fitted(size_t width) const {
  std::vector<size_t> out = natural();
  for (size_t i = 0; i < out.size(); ++i)
    if (out[i] > 0) out[i] = std::max({out[i], columns_[i].least, columns(columns_[i].title)});
  const size_t name = out[0];
  std::vector<size_t> usual(out.size(), 0);
  usual[0] = std::min(name, std::max(kLeastName, size_t(name_share_ * double(width))));
  for (size_t i = 1; i < out.size(); ++i)
    if (out[i] > 0 || columns_[i].reserved)
      usual[i] = std::max(columns_[i].least, columns(columns_[i].title));
  while (total(usual) > width && drop_worst(usual)) {
  }
  for (size_t i = 1; i < out.size(); ++i)
    if (usual[i] == 0 && columns_[i].dispensable > 0) out[i] = 0;
  // Numbers that are wider than usual are paid for by the names, as long as these stay readable.
  out[0] = std::min(name, kLeastName);
  while (total(out) > width && drop_worst(out)) {
  }
  const size_t rest = total(out) - out[0];
  const size_t room = width > rest ? width - rest : 1;
  const bool spans = std::ranges::any_of(rows_, [](const Row& row) { return !row.span.empty(); });
  out[0] =
      std::min(name, spans && width > 2 * kSpanRoom ? std::min(room, width - kSpanRoom) : room);
  return out;
}

std::string Table::line(const Look& look, const Row& row, const std::vector<size_t>& widths,
                        size_t width) const {
  std::string out;
  size_t used = 0, blank = 0;
  for (size_t i = 0; i < row.cells.size(); ++i) {
    if (widths[i] == 0 || (i > 0 && !row.span.empty())) continue;
    const bool alone = row.cells.size() == 1 && row.span.empty();
    std::string text =
        ellipsized(row.cells[i].text, alone ? width : widths[i], ellipsis(look.unicode));
    if (!look.unicode) text = ascii(text);
    const size_t pad = widths[i] - std::min(widths[i], columns(text));
    blank += used > 0 ? kGap : 0;
    used += widths[i] + (used > 0 ? kGap : 0);
    if (columns_[i].right || text.empty()) blank += pad;
    if (text.empty()) continue;
    out += std::string(blank, ' ') + painted(look, row.cells[i].ink, text);
    blank = columns_[i].right ? 0 : pad;
  }
  if (row.span.empty() || used + kGap >= width) return out;
  std::string text = cut(row.span, width - used - kGap, ellipsis(look.unicode));
  if (!look.unicode) text = ascii(text);
  return out + std::string(blank + kGap, ' ') + painted(look, row.span_ink, text);
}

std::vector<std::string> Table::lines(const Look& look, const std::vector<size_t>& widths,
                                      size_t width) const {
  Row titles;
  for (const Column& column : columns_) titles.cells.push_back({column.title, Ink::kQuiet});
  std::vector<std::string> out{line(look, titles, widths, width)};
  for (const Row& row : rows_) out.push_back(line(look, row, widths, width));
  return out;
}

std::vector<std::string> Table::lines(const Look& look, size_t width) const {
  return lines(look, fitted(width), width);
}

std::vector<std::string> Table::lines() const {
  std::vector<size_t> widths = natural();
  for (size_t i = 0; i < widths.size(); ++i)
    widths[i] = std::max({widths[i], columns_[i].least, columns(columns_[i].title)});
  return lines({}, widths, SIZE_MAX);
}

}  // namespace compmond::text
