// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "ui/model/answered_trace.h"
#include "ui/model/model.h"
#include "ui/model/view_id.h"

// Ways from one thing to its traces, and from a trace to the other views of it. Each is done with
// the next frame.
namespace compmond::ui {

// The views of one trace.
inline constexpr std::array kTraceViews = {ViewId::kSequence, ViewId::kTraceTiming,
                                           ViewId::kCallTree};

// The list of the traces with an execution of it; empty: all traces.
void show_traces_of(Model& model, const std::string& component, const std::string& operation);
// In that view.
void show_trace(Model& model, uint64_t trace, ViewId view);
void show_class(Model& model, uint32_t class_number, ViewId view);
// Timing, with the window around it; picks the execution. It pauses.
void show_on_timeline(Model& model, PickedExecution execution);
// Likewise the whole trace; `first`: the operation of its row.
void show_on_timeline(Model& model, const snapshot::TraceRow& trace,
                      const snapshot::AnalysisView::Operation& first);
// Selects an execution that missed its objective and puts the window around it, as long as before
// where it fits in. The view stays.
void show_violation(Model& model, const snapshot::Violation& violation);
// The execution behind a step of an answered trace.
PickedExecution picked_step(const AnsweredTrace& trace, size_t step);

}  // namespace compmond::ui
