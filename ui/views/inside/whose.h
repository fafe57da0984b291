// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "snapshot/words.h"
#include "ui/kit/canvas.h"

namespace compmond::ui {

// The colour of code of that kind, alike on dark and light ground. Of what stacks lack: the ground
// below a hatch, see draw_whose().
ImU32 whose_colour(const Theme& theme, const Word<snapshot::Whose>& whose);
// A box of it, `towards` 0 to 1 mixed with the background; its colour.
ImU32 draw_whose(const Canvas& canvas, ImVec2 min, ImVec2 max, const Word<snapshot::Whose>& whose,
                 float towards, float rounding);

}  // namespace compmond::ui
