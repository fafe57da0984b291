// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>

#include "protocol/analysis_reports.h"
#include "ui/model/model.h"

namespace compmond::ui {

// How a cell stands out: kBar is strong with a bar before it, kCut is shortened to the width.
enum class CellLook { kQuiet, kStrong, kBar, kCut };

// A column beside the names of the list.
struct ListColumn {
  const char* title;
  float width;  // design pixels
  int weight;   // the lighter gives way first on a narrow screen
  CellLook look;
  const char* about;
};

struct TraceColumn : ListColumn {
  std::optional<snapshot::Sort> sort;  // the daemon's; none: cannot be sorted by
  std::string (*text)(const snapshot::TraceRow& row, const Model& model);
};

struct ClassColumn : ListColumn {
  uint64_t (*value)(const snapshot::Classes::Row& row);  // that they are sorted by
  std::string (*text)(uint64_t value);
};

std::span<const TraceColumn> trace_columns();
std::span<const ClassColumn> class_columns();

// What a list is sorted by.
struct ListOrder {
  static constexpr size_t kName = size_t(-1);
  size_t column = 0;  // of trace_columns() or class_columns(), or kName
  bool ascending = false;
  bool operator==(const ListOrder&) const = default;
};
// As the lists begin: the newest trace first, the largest class first.
inline constexpr ListOrder kNewestFirst{0, false}, kLargestFirst{1, false};

}  // namespace compmond::ui
