// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ui/kit/canvas.h"
#include "ui/model/model.h"

namespace compmond::ui {

// A component's activity over the range of the time scale, as a small filled curve.
void draw_sparkline(const Canvas& canvas, const Model& model, const std::string& component,
                    ImVec2 min, ImVec2 max);

}  // namespace compmond::ui
