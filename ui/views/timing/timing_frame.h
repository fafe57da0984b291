// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "diagrams/timing.h"
#include "ui/kit/canvas.h"
#include "ui/model/model.h"
#include "ui/views/shared/switch.h"

// What the parts of the timing diagram draw from, made anew for each frame.
namespace compmond::ui {

struct TimingFrame {
  const Canvas& canvas;
  const Model& model;
  const snapshot::ExecutionsView& view;
  std::vector<std::string> columns;  // paths of the components that have a lifeline
  const diagrams::TimingLayout& layout;
  const geometry::Axis& axis;                         // y on the screen
  std::optional<uint32_t> hovered_bar, hovered_fold;  // in the layout
  bool hovered_time = false;                          // the plot, and none of these
  float left = 0, top = 0, right = 0, bottom = 0;     // of the plot
  float column_left = 0, column_width = 0;            // of the first column, scrolled
  size_t quiet = 0;                                   // components without calls, left out
  size_t unseen = 0;  // others left out, whose probes were away for a part of the window

  float column_centre(size_t column) const {
    return column_left + (float(column) + 0.5f) * column_width;
  }
  // From where on the connection was lost before this was asked for, on the screen.
  std::optional<float> unasked_from() const {
    const float y = std::max(top, float(axis.px(view.end_ns)));
    return model.frozen() && y < bottom - 1 ? std::optional(y) : std::nullopt;
  }
  const std::string& operation(uint32_t index) const { return view.operations[index].name; }
};

// Whether calls are drawn as arrows.
inline constexpr Switch kCallArrows{"Timing/calls"};

// "FileEncrypter  accept": the component's leaf and the short operation, cleaned.
std::string execution_name(const snapshot::ExecutionsView& view, uint32_t operation);
// How it was closed, in words; empty for a plain return.
std::string closed_text(const Word<snapshot::Ending>& closed);
// Of the mark at its end: amber where that was not seen, red where an exception left it; 0: none,
// as it returned or is still running.
ImU32 ink_of_end(const Theme& theme, const Word<snapshot::Ending>& closed);
bool same_execution(const snapshot::ExecutionsView::Execution& one,
                    const snapshot::ExecutionsView::Execution& other);
PickedExecution picked(const snapshot::ExecutionsView& view, uint32_t execution);

void draw_timing_axis(const TimingFrame& frame);
void draw_timing_bars(const TimingFrame& frame);
// Below these: when probes were away, and what samples tell; `hues` per column.
void draw_timing_away(const TimingFrame& frame);
void draw_timing_samples(const TimingFrame& frame, const std::vector<ImU32>& hues);
void timing_away_tooltip(const TimingFrame& frame);  // of what of these is pointed at
void draw_timing_arrows(const TimingFrame& frame);
void draw_timing_now(const TimingFrame& frame);
void draw_timing_notes(const TimingFrame& frame);
void timing_tooltip(const TimingFrame& frame);
// Exact numbers of the selected execution, beside its bar, and the ways to its trace.
void draw_timing_popup(const TimingFrame& frame, Model& model);
// How to read it, and the slowest executions in view; the execution that was clicked there.
std::optional<uint32_t> draw_timing_panel(const TimingFrame& frame, ImVec2 min, ImVec2 max,
                                          const std::vector<uint32_t>& slowest);

}  // namespace compmond::ui
