// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ui/kit/canvas.h"
#include "ui/model/answered_trace.h"
#include "ui/model/model.h"
#include "ui/model/view_id.h"
#include "ui/views/one_trace/shown_trace.h"

namespace compmond::ui {

// The row above such a view, of kTraceBar design pixels: what is shown, follow the newest, and the
// ways to other views of it. `here` is the view that draws it.
inline constexpr float kTraceBar = 42;
void draw_trace_bar(const Canvas& canvas, Model& model, const ShownTrace& shown, ViewId here,
                    std::optional<uint32_t> picked);

// All numbers of a step.
void step_tooltip(const Theme& theme, const Model& model, const AnsweredTrace& trace, uint32_t step,
                  const std::string& more);
// Where these begin.
float trace_notes_top(const Canvas& canvas, const AnsweredTrace& trace, const std::string& more);
// At the bottom of a canvas, the last of them lowest: what is not shown.
void draw_trace_notes(const Canvas& canvas, const AnsweredTrace& trace, const std::string& more);

}  // namespace compmond::ui
