// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "geometry/shapes.h"
#include "snapshot/words.h"

// Where the interfaces of a component stand on its box: `in` at the left, `out` at the right. Pure.
namespace compmond::layout {

// Sizes of one zoom, in layout units.
struct PortStyle {
  double width = 8, height = 11;                // one stands as far inside its box as outside
  double apart = 18, least_apart = 8;           // from one's middle to the next one's
  double folded_width = 8, folded_height = 22;  // what is wider than one is outside the box
  double corner = 7;                            // so much of a side's ends stays free
};

struct Ports {
  std::vector<geometry::Rect> places;  // from top to bottom
  bool folded = false;                 // the only one stands for all
};

// So many ports on that side, at equal distances, symmetric about its middle, where lines end. One
// for all where they had to stand closer than style.least_apart.
Ports ports_on(const geometry::Rect& box, Interface side, size_t count, const PortStyle& style);

// The port that a pointer means: the nearest that is less than `reach` away; -1: none.
int port_at(const Ports& ports, geometry::Pt at, double reach);

}  // namespace compmond::layout
