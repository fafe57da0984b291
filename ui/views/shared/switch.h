// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "ui/kit/controls.h"
#include "ui/model/model.h"

namespace compmond::ui {

// An option of a view that is one thing or another, kept with the settings.
struct Switch {
  const char* key;  // "view/option"
  bool on(const Model& model) const { return model.settings.option(key, 0) > 0; }
  void flip(Model& model) const { model.settings.options[key] = on(model) ? 0 : 1; }
};

// A side of it, as a button: its label, and what hovering says.
struct Side {
  const char *label, *title;
  std::string_view text;
};
// Two buttons, of which the one that holds is marked.
void draw_switch(Controls& controls, Model& model, const Switch& which, const Side& off,
                 const Side& on);

}  // namespace compmond::ui
