// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "terminal/order.h"
#include "terminal/table.h"

// What the tables of components have in common, whatever their figures rest on.
namespace compmond::terminal {

constexpr size_t kIndentMost = 8;  // deeper nesting is not worth the room that names need

// Of the bar beside a hotness: narrow tables have no room for one.
size_t bar_width(size_t width);
std::string hotness_cell(const Style& style, double hotness, size_t width);
std::string shown_name(const Placed& placed);
double window_seconds(const snapshot::Snapshot& snapshot);

}  // namespace compmond::terminal
