// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "snapshot/snapshot.h"
#include "ui/views/shared/definitions.h"
#include "ui/views/shared/estimated.h"

namespace compmond::ui {

// A column of numbers of the table.
struct TableColumn {
  const char* title;
  float width;  // design pixels
  Term term;
  // Of a component's or an operation's figures; `seconds` is the length of the window.
  double (*value)(const snapshot::Figures& figures, double seconds);
  std::string (*text)(double value);
  // What samples tell in its place; null: nothing, it needs calls.
  TimeOf estimate = nullptr;
  bool of_samples = false;  // only there where there are samples
  bool single = false;      // a raw time of single calls

  // Whether that of a component and all inside it is the sum of theirs.
  bool adds_up() const {
    return term == Term::kNetReal || term == Term::kCalls || term == Term::kRate;
  }
  // Whether it can be told without calls.
  bool without_calls() const {
    return estimate || term == Term::kHotness || term == Term::kDeviation;
  }
};

std::span<const TableColumn> table_columns();

}  // namespace compmond::ui
