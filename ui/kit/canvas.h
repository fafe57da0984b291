// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imgui.h>

#include "ui/kit/theme.h"

namespace compmond::ui {

// Where to draw: a rectangle in pixels that is the whole of an ImGui child made for it,
// which is current while drawing. So ImGui's items (InvisibleButton, IsItemHovered, BeginTable)
// work and are clipped to it; `list` is that child's list.
struct Canvas {
  ImDrawList* list;
  ImVec2 min, max;
  const Theme& theme;
  float px(float design) const { return theme.px(design); }
  float width() const { return max.x - min.x; }
  float height() const { return max.y - min.y; }
};

}  // namespace compmond::ui
