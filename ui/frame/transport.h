// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/kit/canvas.h"
#include "ui/model/model.h"

namespace compmond::ui {

// Play or pause, step, speed and place of a replay, at the left of `canvas`; nothing of a live run
// and where this client may only look. Returns where the rest of the canvas begins.
float draw_transport(const Canvas& canvas, Model& model);

// Its keys, as App gets them; whether they were taken, which is never so where it is not drawn.
bool transport_key(int glfw_key, Model& model);
bool transport_character(unsigned code_point, Model& model);

}  // namespace compmond::ui
