// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "check/shown.h"
#include "text/table.h"

namespace compmond::check {

// Reasons are long and shared by many operations: each stands once below the table, under its
// number.
class Footnotes {
 public:
  // "[2]"; empty for no reason.
  std::string mark(const std::string& reason);
  std::string text() const;  // lines, behind an empty one; empty where there are none

 private:
  std::vector<std::string> reasons_;
};

// As the first cell of an operation's row: longer names are cut.
std::string name_cell(const plan::PlannedOperation& operation);
// Why it is observed as it is, and what of its arguments is recorded.
std::string notes_on(const Shown& shown, size_t operation);

// Lines: those of `table`, which has a row for each operation, below a line for their component.
std::string grouped(const Shown& shown, const text::Table& table);

// All that is shown of the plan, for people.
std::string to_text(const Shown& shown);

}  // namespace compmond::check
