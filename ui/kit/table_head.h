// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "ui/kit/canvas.h"

namespace compmond::ui {

// The title of a column, over the height of a canvas.
struct HeadCell {
  const char* title;     // unlike those of the others
  float left, right;     // pixels; what can be clicked
  bool to_right = true;  // where the title stands
  bool can_sort = true;  // a click means something
};
enum class Sorted : uint8_t { kNot, kAscending, kDescending };
struct HeadTouch {
  bool clicked = false;  // and can sort
  bool hovered = false;
};
// With an arrow where the table is sorted by it.
HeadTouch draw_head_cell(const Canvas& canvas, const HeadCell& cell, Sorted sorted);

// Takes the lightest of the columns `kept` away until `fixed` pixels and they fit into `room`; two
// stay in any case. `width` in pixels and `weight` are asked per column. Returns the pixels that
// all of it takes.
template <class Width, class Weight>
float keep_what_fits(std::vector<size_t>& kept, float fixed, float room, Width width,
                     Weight weight) {
  float used = fixed;
  for (const size_t i : kept) used += width(i);
  while (used > room && kept.size() > 2) {
    const auto lightest = std::ranges::min_element(kept, {}, weight);
    used -= width(*lightest);
    kept.erase(lightest);
  }
  return used;
}

}  // namespace compmond::ui
