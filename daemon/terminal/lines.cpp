// SPDX-License-Identifier: Apache-2.0
#include "terminal/parts.h"

namespace compmond::terminal {

Lines indented(const text::Table& table, const Style& style, size_t width) {
  return table.empty() ? Lines() : moved_in(table.lines(look_of(style), width - 2));
}

Lines listing(const Style& style, const std::string& what, std::vector<std::string> items,
              size_t width) {
  if (items.empty()) return {};
  items.front().insert(0, what + ": ");
  std::vector<Segment> said;
  for (std::string& item : items) said.push_back({std::move(item), Ink::kQuiet});
  return moved_in(flow(style, said, width - 2));
}

}  // namespace compmond::terminal
