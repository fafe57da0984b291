// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "snapshot/snapshot.h"
#include "text/table.h"

namespace compmond::terminal {

constexpr const char* kUntold = "–";  // a cell of which nothing is known

// One row's figures, and how far they can be told.
struct Told {
  const snapshot::Figures& figures;
  bool timed = true;      // else calls are only counted
  bool group = false;     // they are the sum of other rows
  bool unproven = false;  // that there is no call proves nothing
};

// The columns of figures that tables of components and operations have, whatever these rest on:
// those that a snapshot has something for, the one that its metric ranks first of all.
class FigureColumns {
 public:
  enum class Of { kComponents, kOperations };
  // `snapshot` must outlive this.
  FigureColumns(const snapshot::Snapshot& snapshot, Of of);

  std::vector<text::Column> columns() const;
  std::vector<text::Cell> cells(const Told& told) const;
  // What the first column shows, to sort by.
  double rank(const Told& told) const;

  struct View {
    double seconds = 0;      // of the window
    bool estimated = false;  // real times are estimates
    bool counts = true;      // some calls are seen
    bool samples = false;    // there may be some
  };
  struct Column {
    text::Column head;
    text::Cell (*cell)(const View& view, const Told& told);
    double (*value)(const View& view, const Told& told);
  };

 private:
  View view_;
  std::vector<Column> columns_;
};

}  // namespace compmond::terminal
