// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "ui/kit/controls.h"
#include "ui/model/model.h"

namespace compmond::ui {

// An option of a view that is one thing or another, kept with the settings.
struct Switch {
  const char* key;        // "view/option"
  bool at_first = false;  // until somebody has chosen
  bool on(const Model& model) const { return model.settings.option(key, at_first) > 0; }
  void set(Model& model, bool to) const { model.settings.options[key] = to; }
  void flip(Model& model) const { set(model, !on(model)); }
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
