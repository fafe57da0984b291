// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "snapshot/snapshot.h"

namespace compmond::terminal {

struct Style {
  bool colour = false;  // ANSI colours and bars drawn with block characters
  bool unicode = true;
  int width = 100;  // columns
  int height = 0;   // rows at most, 0: no limit
};
// From stdout and the environment: a terminal, its size, NO_COLOR, TERM=dumb, LANG.
Style style_of(int fd);

// The live table: a header line, one line per component sorted by hotness (children below their
// parents), and health lines that never hide bad news. Ends with a newline; no line is wider than
// style.width, which counts as 40 below and as 200 above those.
std::string table(const snapshot::Snapshot& snapshot, const Style& style);

// What a run prints at its end: operations, edges, costs, and what was refused; last of all the
// component table and the health lines.
std::string summary(const snapshot::Snapshot& snapshot, const Style& style);

}  // namespace compmond::terminal
