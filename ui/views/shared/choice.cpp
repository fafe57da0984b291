// SPDX-License-Identifier: Apache-2.0
#include "ui/views/shared/choice.h"

namespace compmond::ui {

void draw_choice(Controls& controls, Model& model, const Choice& which,
                 std::initializer_list<Side> sides) {
  int i = 0;
  for (const Side& side : sides) {
    if (controls.chip(side.label, which.chosen(model) == i, side.title, side.text))
      model.settings.options[which.key] = i;
    ++i;
  }
}

}  // namespace compmond::ui
