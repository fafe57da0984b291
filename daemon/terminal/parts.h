// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
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

// Styles from 40 to 200 columns wide are laid out as they are; others as the nearest of these.
size_t layout_width(const Style& style);

Lines header(const snapshot::Snapshot& snapshot, const Style& style, size_t width);
// Titles and one line per component; where no call was made, the sentence that says so and what was
// refused.
Lines components(const snapshot::Snapshot& snapshot, const Style& style, size_t width);
// Explains the marks that the component lines hold; empty when there are none.
Lines legend(const snapshot::Snapshot& snapshot, const Style& style, size_t width);
// The same of a run that rests on samples: estimated times with their intervals, and no calls.
Lines sampled_components(const snapshot::Snapshot& snapshot, const Style& style, size_t width);
Lines sampled_legend(const snapshot::Snapshot& snapshot, const Style& style, size_t width);
// For the summary: the operations of each component, and time by caller.
Lines sampled_operations(const snapshot::Snapshot& snapshot, const Style& style, size_t width);
Lines sampled_edges(const snapshot::Snapshot& snapshot, const Style& style, size_t width);

// How operations kept to their objectives, and the newest executions that did not; empty where the
// spec has none.
Lines objectives(const snapshot::Snapshot& snapshot, const Style& style, size_t width);
// What is below no operation, by file; empty where no sample was, or nothing is told.
Lines elsewhere(const snapshot::Snapshot& snapshot, const Style& style, size_t width);
// What is attached, lost, thrown away; loud where the accounts do not balance.
Lines health(const snapshot::Snapshot& snapshot, const Style& style, size_t width);

}  // namespace compmond::terminal
