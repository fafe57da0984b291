// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "geometry/shapes.h"

// Lines between boxes that stand where they stand, and labels beside them. Pure.
namespace compmond::layout {

// Calls leave a box at the middle of its right side and arrive at the middle of its left side.
geometry::Pt out_port(const geometry::Rect& box);
geometry::Pt in_port(const geometry::Rect& box);

// A smooth line between two boxes: straight down or up where they stand above each other, else from
// port to port; around the obstacles where a way of a few bends exists, else with the fewest boxes
// crossed. Neither box needs to be left out of `obstacles`. Time grows with their number.
geometry::Curve routed(const geometry::Rect& from, const geometry::Rect& to,
                       const std::vector<geometry::Rect>& obstacles);
// The same, whatever is in the way: for a box that is just being dragged.
geometry::Curve direct(const geometry::Rect& from, const geometry::Rect& to);

// From a box to itself, below it.
geometry::Curve self_loop(const geometry::Rect& box);

// A label beside a line: near its middle, on neither a box nor another label, on as few other lines
// as can be. Labels are placed in the order given, all in one coordinate system.
struct LabelWish {
  const std::vector<geometry::Pt>* line;
  double width = 0, height = 0;
  double short_width = 0;  // of what it says where there is no room for all; 0: nothing
};
struct LabelPlace {
  geometry::Rect rect;
  bool shortened = false;
};
// Empty where there is no free place; such a label is better left out.
std::vector<std::optional<LabelPlace>> place_labels(
    const std::vector<LabelWish>& wishes, const std::vector<geometry::Rect>& boxes,
    const std::vector<const std::vector<geometry::Pt>*>& lines);

}  // namespace compmond::layout
