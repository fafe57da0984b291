// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/frame/frame.h"

namespace compmond::ui {

// Where tabs may stand, in pixels.
struct TabRoom {
  float left, right, top, bottom;
};

// So wide are all tabs, at least, with enough beside them for names of spec and target.
float tabs_and_names_width(const Theme& theme, ViewKinds views);

// A tab per view; those that find no room are in a menu behind the others, but for the current one,
// which always has its tab. Returns where they begin.
float draw_tabs(const Canvas& canvas, Model& model, ViewKinds views, size_t current,
                const TabRoom& room);

}  // namespace compmond::ui
