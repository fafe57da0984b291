// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <initializer_list>

#include "ui/views/shared/switch.h"

namespace compmond::ui {

// An option of a view that is one of several things, kept with the settings; the first until
// somebody has chosen.
struct Choice {
  const char* key;  // "view/option"
  int count;
  int chosen(const Model& model) const {
    return std::clamp(int(model.settings.option(key, 0)), 0, count - 1);
  }
  void next(Model& model) const { model.settings.options[key] = (chosen(model) + 1) % count; }
};

// A button for each, of which the chosen one is marked.
void draw_choice(Controls& controls, Model& model, const Choice& which,
                 std::initializer_list<Side> sides);

}  // namespace compmond::ui
