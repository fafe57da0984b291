// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/kit/canvas.h"
#include "ui/model/model.h"

namespace compmond::ui {

// Where there is nothing to show: says why and what to do, over the whole canvas. False where the
// view has something to show. A window without calls is not one of these, see no_calls_text().
bool draw_empty_state(const Canvas& canvas, const Model& model);

// "Attached to 22 operations, none called in this window."; empty when there are calls.
std::string no_calls_text(const Model& model);

// Instead of a view of single executions, in a run none of whose engines sees calls.
void draw_no_single_calls(const Canvas& canvas, const Model& model, const char* view);

// That nothing is hot, because the metric needs calls where samples are all there is; else empty.
std::string metric_text(const Model& model);

}  // namespace compmond::ui
