// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ui/kit/theme.h"
#include "ui/model/model.h"
#include "ui/views/shared/busy_line.h"

namespace compmond::ui {

// What the status bar says of one thing.
struct StatusItem {
  std::string text;
  ImU32 colour;
  int weight;  // the lighter gives way first; bad news never does
  std::string hover_title, hover_text;
  bool dot = false;
  float width = 0;
  std::string component = {};         // that a click selects; empty: it shows Health
  std::vector<Shorter> shorter = {};  // that it may take to, one after the other
};

constexpr int kNews = 100;  // the weight of what is never left out

// Where the run stands and what it observes, the most important first.
std::vector<StatusItem> status_items(const Theme& theme, const Model& model);

}  // namespace compmond::ui
