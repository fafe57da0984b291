// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "protocol/view.h"
#include "ui/model/model.h"

namespace compmond::ui {

// One line of the time scale: neighbouring components that share it where there are more than
// lines.
struct StripRow {
  std::vector<size_t> members;    // rows of the StripView
  std::vector<uint64_t> real_ns;  // per column, the largest of the members
};

// Whether it has a place there: shown, and more than a name for what it contains.
bool has_strip_row(const Settings& settings, const snapshot::Component& component);

// The shown components of a strip on at most `lines` rows, in its order. `busy_ns` is what counts
// as full activity of a column: 98 of 100 cells with any have at most that.
struct StripRows {
  std::vector<StripRow> rows;
  uint64_t busy_ns = 1;
  uint64_t floor_ns = 0;  // below it a column does not glow: as little of it as is cold elsewhere
};
StripRows strip_rows(const snapshot::StripView& strip, const Model& model, size_t lines);

}  // namespace compmond::ui
