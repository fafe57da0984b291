// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imgui.h>

#include <cstdint>
#include <string>

#include "protocol/view.h"
#include "snapshot/snapshot.h"
#include "ui/kit/theme.h"

// Response-time objectives, as all views tell of them: a red triangle that points up, so never by
// colour alone, and the same words.
namespace compmond::ui {

inline bool missed(const snapshot::ExecutionsView& view,
                   const snapshot::ExecutionsView::Execution& execution) {
  const auto& objective = view.operations[execution.operation].objective_ns;
  return objective && execution.end_ns > execution.start_ns &&
         execution.end_ns - execution.start_ns > *objective;
}

// "50.0 ms", or "5.00 ms to 50.0 ms" where the operations of a component differ; empty: none.
std::string objective_text(const snapshot::Component& component);
// "12 executions missed the objective of 50.0 ms, 1 of them still running"; empty: none did.
std::string missed_text(const snapshot::Component& component);

// `size`: from its base to its tip; `at`: the middle of its base.
void draw_missed_mark(ImDrawList* list, const Theme& theme, ImVec2 at, float size);

}  // namespace compmond::ui
