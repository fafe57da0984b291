// SPDX-License-Identifier: Apache-2.0
#include "terminal/component_cells.h"

#include <algorithm>

#include "terminal/paint.h"
#include "text/clean.h"
#include "text/columns.h"
#include "text/match.h"
#include "text/numbers.h"

namespace compmond::terminal {

size_t bar_width(size_t width) {
  return width >= 140 ? 16 : width >= 110 ? 10 : width >= 96 ? 8 : width >= 76 ? 6 : 0;
}

std::string hotness_cell(const Style& style, double hotness, size_t width) {
  const std::string number = text::padded(text::hotness(hotness), 3, true);
  const size_t bars = bar_width(width);
  return bars == 0 ? number : text::padded(bar(style, hotness, bars), bars + 1, false) + number;
}

std::string shown_name(const Placed& placed) {
  const std::string& path = placed.component->name;
  const std::string_view name = placed.depth == 0 ? path : text::leaf(path);
  return std::string(std::min(2 * placed.depth, kIndentMost), ' ') + text::clean(name);
}

double window_seconds(const snapshot::Snapshot& s) {
  return double(known_window(s).length()) / 1e9;
}

}  // namespace compmond::terminal
