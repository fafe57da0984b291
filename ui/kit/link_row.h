// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imgui.h>

#include "ui/kit/theme.h"

namespace compmond::ui {

// Links beside each other, from left to right. All in pixels.
struct LinkRow {
  const Theme& theme;
  float x, top, height, gap;  // x: where the next one begins

  bool link(const char* label);  // whether it was clicked; it is ImGui's last item then
};

}  // namespace compmond::ui
