// SPDX-License-Identifier: Apache-2.0
#include "ui/views/shared/switch.h"

namespace compmond::ui {

void draw_switch(Controls& controls, Model& model, const Switch& which, const Side& off,
                 const Side& on) {
  const bool now = which.on(model);
  const bool to_off = controls.chip(off.label, !now, off.title, off.text) && now;
  const bool to_on = controls.chip(on.label, now, on.title, on.text) && !now;
  if (to_off || to_on) which.flip(model);
}

}  // namespace compmond::ui
