// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stage.h"

// What holds of texts in every view: each failure is one of the test.
namespace compmond::ui {

// In breadth; scrolled lists end in the middle of a line.
void nothing_is_cut(const Stage& stage, float width, float height);
// No letter stands on another one.
void nothing_overlaps(const Stage& stage);

}  // namespace compmond::ui
