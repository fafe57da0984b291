// SPDX-License-Identifier: Apache-2.0
#include "ui/views/one_trace/trace_diagram.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include "ui/model/trace_links.h"
#include "ui/views/shared/empty.h"

namespace compmond::ui {

void TraceDiagram::draw(const Canvas& canvas, Model& model) {
  if (draw_empty_state(canvas, model)) return;
  if (shown_.take(model, hovered_ && model.window.live)) {
    picked_.reset();
    start_over(model);
  }
  draw_trace_bar(canvas, model, shown_, id_, picked_);
  hovered_ = false;
  if (shown_.trace())
    draw_trace(canvas, model);
  else
    shown_.draw_absence(canvas, {canvas.min.x, canvas.min.y + canvas.px(kTraceBar)}, model);
}

bool TraceDiagram::key(int glfw_key, Model& model) {
  if (shown_.goes_on(glfw_key, model, picked_)) return true;
  if (glfw_key != GLFW_KEY_F) return false;
  show_all();
  return true;
}

void TraceDiagram::pick(Model& model, std::optional<uint32_t> step) {
  picked_ = step;
  model.selection = {};
  if (!step) return;
  // What was picked shall not run away.
  model.chosen = {shown_.trace()->row.id, std::nullopt};
  const PickedExecution execution = picked_step(*shown_.trace(), *step);
  model.selection = {execution.component, execution.operation, execution};
}

}  // namespace compmond::ui
