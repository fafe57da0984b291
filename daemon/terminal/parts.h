// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "terminal/paint.h"
#include "terminal/table.h"

// The parts that the live table and the summary are put together from. Each gives finished lines of
// at most `width` columns.
namespace compmond::terminal {

using Lines = std::vector<std::string>;

// By two columns.
inline Lines moved_in(Lines lines) {
  for (std::string& line : lines) line.insert(0, "  ");
  return lines;
}

inline void append(Lines& to, Lines lines) {
  to.insert(to.end(), std::make_move_iterator(lines.begin()), std::make_move_iterator(lines.end()));
}

// The lines of a table, moved in; none of an empty one.
Lines indented(const text::Table& table, const Style& style, size_t width);
// "what: a · b · c", moved in, in as many lines as that takes.
Lines listing(const Style& style, const std::string& what, std::vector<std::string> items,
              size_t width);
// A line that stands for others: "  12 more".
inline text::Row more(std::string text) {
  return {{{std::move(text), Ink::kQuiet}}, "", Ink::kQuiet};
}

// Whether there is any sample.
bool sampled_at_all(const snapshot::Snapshot& snapshot);

// Styles from 40 to 200 columns wide are laid out as they are; others as the nearest of these.
size_t layout_width(const Style& style);

Lines header(const snapshot::Snapshot& snapshot, const Style& style, size_t width);
// Titles and one line per component; where no call was made, the sentence that says so and what was
// refused.
Lines components(const snapshot::Snapshot& snapshot, const Style& style, size_t width);
// Explains the marks that the component lines hold; empty when there are none.
Lines legend(const snapshot::Snapshot& snapshot, const Style& style, size_t width);
// For the summary: the operations of each component.
Lines operations(const snapshot::Snapshot& snapshot, const Style& style, size_t width);
// Calls between components, or time by caller where times are estimated from samples.
Lines edges(const snapshot::Snapshot& snapshot, const Style& style, size_t width);

// How operations kept to their objectives, and the newest executions that did not; empty where the
// spec has none.
Lines objectives(const snapshot::Snapshot& snapshot, const Style& style, size_t width);
// What is below no operation, by file; empty where no sample was, or nothing is told.
Lines elsewhere(const snapshot::Snapshot& snapshot, const Style& style, size_t width);
// What somebody switched off, since when; nothing: all is on.
std::optional<Segment> switched_off(const snapshot::Snapshot& snapshot);
// What was switched when; empty: nothing was.
Lines switches(const snapshot::Snapshot& snapshot, const Style& style, size_t width);
// What is attached, lost, thrown away; loud where the accounts do not balance.
Lines health(const snapshot::Snapshot& snapshot, const Style& style, size_t width);

}  // namespace compmond::terminal
