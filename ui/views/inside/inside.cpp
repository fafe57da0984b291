// SPDX-License-Identifier: Apache-2.0
#include "ui/views/inside/inside.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <algorithm>
#include <cmath>

#include "ui/model/inside_link.h"
#include "ui/views/shared/empty.h"

namespace compmond::ui {
namespace {

constexpr uint32_t kListed = 2'000;   // functions, paths: more are not read by anybody
constexpr float kTableShare = 0.52f;  // of the width

const snapshot::Component* hottest(const snapshot::Snapshot& snapshot) {
  const auto found = std::ranges::max_element(
      snapshot.components, {}, [](const auto& component) { return component.figures.hotness; });
  return found == snapshot.components.end() ? nullptr : &*found;
}

}  // namespace

void InsideView::follow(const Model& model) {
  std::string component = model.selection.component, operation = model.selection.operation;
  if (!component.empty()) {
    by_default_ = false;
  } else if (!component_.empty()) {
    return;
  } else if (const auto* most = hottest(*model.snapshot)) {
    component = most->name;
    by_default_ = true;
  }
  if (component == component_ && operation == operation_) return;
  component_ = std::move(component);
  operation_ = std::move(operation);
  shown_.reset();
  pane_.show_all();
  selected_.clear();
}

bool InsideView::can_ask(const Model& model) const {
  if (!has_samples(model)) return false;
  const auto* component = model.component(component_);
  return component && (operation_.empty() ||
                       std::ranges::any_of(component->operations, [&](const auto& operation) {
                         return operation.name == operation_;
                       }));
}

snapshot::AnalysisRequest InsideView::question(const Model& model) const {
  snapshot::AnalysisRequest out;
  out.report = snapshot::Report::kInside;
  out.component = component_;
  out.operation = operation_;
  out.alone = operation_.empty() && kAlone.on(model) && contains_others(model);
  out.limit = kListed;
  return out;
}

void InsideView::ask(const Model& model, ImVec2, snapshot::ViewRequest& request) const {
  if (can_ask(model)) request.analysis = question(model);
}

InsideTime InsideView::time(const Model& model) const {
  return waits() ? InsideTime(kTime.chosen(model)) : InsideTime::kBoth;
}

InsideBy InsideView::by(const Model& model) const { return InsideBy(kBy.chosen(model)); }

void InsideView::take(const Model& model) {
  if (const auto now = question(model); !(now == asked_)) {
    asked_ = now;
    answer_.asked_anew(model);
    sure_ = false;
  }
  if (model.generation == taken_ || !answer_.there(model) ||
      model.analysis->report != snapshot::Report::kInside)
    return;
  // What is pointed at stays where it is.
  if (shown_ && sure_ && pointed_at_ && model.window.live) return;
  sure_ = answer_.certain(model);
  taken_ = model.generation;
  if (shown_ == model.analysis) return;
  shown_ = model.analysis;
  ++revision_;
}

void InsideView::select(std::string key) {
  selected_ = std::move(key);
  reveal_ = true;
}

void InsideView::draw(const Canvas& canvas, Model& model) {
  if (draw_empty_state(canvas, model)) return;
  follow(model);
  take(model);
  const float top = can_ask(model) ? draw_controls(canvas, model) : canvas.min.y;
  if (draw_absence({canvas.list, {canvas.min.x, top}, canvas.max, canvas.theme}, model)) {
    pointed_at_ = false;
    return;
  }
  const float middle = canvas.min.x + std::round(canvas.width() * kTableShare);
  pointed_at_ = ImGui::IsMouseHoveringRect({canvas.min.x, top}, canvas.max);
  draw_table({canvas.list, {canvas.min.x, top}, {middle, canvas.max.y}, canvas.theme}, model);
  canvas.list->AddLine({middle, top}, {middle, canvas.max.y}, canvas.theme.line);
  draw_drawing({canvas.list, {middle + 1, top}, canvas.max, canvas.theme}, model);
}

bool InsideView::key(int glfw_key, Model& model) {
  switch (glfw_key) {
    case GLFW_KEY_O:
      kCallers.flip(model);
      return true;
    case GLFW_KEY_V:
      kIcicle.flip(model);
      return true;
    case GLFW_KEY_E:
      kBy.next(model);
      return true;
    case GLFW_KEY_M:
      if (waits()) kTime.next(model);
      return true;
    case GLFW_KEY_ENTER:
    case GLFW_KEY_KP_ENTER:
      zoom_into_selected(model);
      return true;
    case GLFW_KEY_ESCAPE:
      if (pane_.back()) return true;
      return !std::exchange(selected_, {}).empty();
    default:
      return row_key_pressed(glfw_key, model);
  }
}

}  // namespace compmond::ui
