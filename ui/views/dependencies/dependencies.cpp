// SPDX-License-Identifier: Apache-2.0
#include "ui/views/dependencies/dependencies.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <fmt/format.h>

#include "text/numbers.h"
#include "ui/kit/draw.h"
#include "ui/views/shared/definitions.h"
#include "ui/views/shared/empty.h"

namespace compmond::ui {
namespace {

constexpr Switch kMatrix{"Dependencies/matrix"};

std::string responses_text(const Responses& of) {
  return fmt::format("response  min {}, mean {}, max {}", text::duration(double(of.min_ns)),
                     text::duration(double(of.mean_ns)), text::duration(double(of.max_ns)));
}

}  // namespace

DependenciesView::DependenciesView()
    : GraphView({snapshot::Report::kDependencyGraph,
                 2'000,
                 {"Dependencies/operations"},
                 Switch{"Dependencies/programs"},
                 "boxes",
                 "calls from one to another",
                 "the functions themselves, also within a component"}) {}

bool DependenciesView::animates(const Model& model) const {
  return !kMatrix.on(model) && GraphView::animates(model);
}

void DependenciesView::forget() {
  data_ = {};
  scroll_ = {};
}

float DependenciesView::draw_controls(const Canvas& canvas, Model& model) {
  Controls controls(canvas);
  const bool matrix = kMatrix.on(model);
  draw_switch(controls, model, kMatrix, {"graph", "graph (V)", "boxes and the calls between them"},
              {"matrix", "matrix (V)", definition(Term::kMatrix).text});
  controls.gap();
  draw_level(controls, model);
  if (!matrix) {
    controls.gap();
    if (controls.chip("times", times_.on(model), "response times (M)",
                      "beside the number of calls how long they took on average"))
      times_.flip(model);
    draw_placing(controls);
  }
  draw_traces_link(controls, model);
  std::string more;
  const size_t unplanned = matrix || !answer_.view() ? 0 : pane_.unplanned_lines();
  if (unplanned > 0) more = text::counted(unplanned, "line") + " came after this arrangement (A)";
  return draw_analysis_note(canvas, controls, model, answer_.view(), "all traces", more);
}

void DependenciesView::draw(const Canvas& canvas, Model& model) {
  if (draw_empty_state(canvas, model)) return;
  take(model);
  if (answer_.view() && !kMatrix.on(model)) place(canvas, model);
  const float top = draw_controls(canvas, model);
  if (draw_no_analysis(canvas, {canvas.min.x, top}, canvas.max, model, answer_.view(), {})) return;
  if (kMatrix.on(model))
    draw_matrix(canvas, top, model);
  else
    draw_boxes(canvas, top, model);
}

void DependenciesView::select(const DependencyData::Node& node, Model& model) const {
  model.selection = {node.component, node.operation, {}};  // of a program: nothing
}

bool DependenciesView::shows(const DependencyData::Node& node, const Model& model) const {
  return node.component.empty() || model.settings.shows(node.component);
}

bool DependenciesView::selected(const DependencyData::Node& node, const Model& model) const {
  return !node.component.empty() && model.selection.component == node.component &&
         (node.operation.empty() || model.selection.operation.empty() ||
          model.selection.operation == node.operation);
}

bool DependenciesView::found(const DependencyData::Node& node, const Model& model) const {
  return model.search.text.empty() || model.found(node.component) || model.found(node.operation) ||
         model.found(node.place);
}

void DependenciesView::node_tooltip(const Canvas& canvas, size_t node) const {
  const auto& n = data_.nodes[node];
  uint64_t callers = 0, callees = 0, made = 0;
  for (const auto& edge : data_.edges) {
    if (edge.count == 0) continue;
    callers += edge.to == int32_t(node);
    callees += edge.from == int32_t(node);
    made += edge.from == int32_t(node) ? edge.count : 0;
  }
  std::string text;
  if (n.called.count > 0)
    text = fmt::format("called {}{} times by {}\n{}", answer_.mark(), text::count(n.called.count),
                       callers, responses_text(n.called));
  else if (!n.outside())
    text = "not called in this window";
  if (n.itself.count > 0)
    text += fmt::format("\ncalls itself {}{} times", answer_.mark(), text::count(n.itself.count));
  if (made > 0)
    text += fmt::format("{}calls {} {}{} times", text.empty() ? "" : "\n",
                        text::counted(callees, "other"), answer_.mark(), text::count(made));
  tooltip(canvas.theme, n.outside() ? "$, outside" : dependency_name(n), text,
          n.outside() ? "What calls at the bottom of the stacks: nothing that is observed."
                      : definition(Term::kDependency).text);
}

void DependenciesView::call_tooltip(const Canvas& canvas, const Model& model, size_t from,
                                    size_t to, const Responses& calls) const {
  const double seconds = double(model.figures_interval().length()) / 1e9;
  tooltip(
      canvas.theme, dependency_name(data_.nodes[from]) + "  →  " + dependency_name(data_.nodes[to]),
      calls.count == 0
          ? std::string("no call in this window")
          : fmt::format("{0}{1}, {0}{2}\n{3}", answer_.mark(), text::counted(calls.count, "call"),
                        text::per_second(seconds > 0 ? double(calls.count) / seconds : 0),
                        responses_text(calls)),
      definition(Term::kDependency).text);
}

bool DependenciesView::key(int glfw_key, Model& model) {
  switch (glfw_key) {
    case GLFW_KEY_V:
      kMatrix.flip(model);
      return true;
    case GLFW_KEY_M:
      times_.flip(model);
      return true;
    default:
      return GraphView::key(glfw_key, model);
  }
}

}  // namespace compmond::ui
