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

constexpr uint32_t kNodes = 2'000;  // beyond, nobody can read a graph
constexpr const char *kMatrix = "Dependencies/matrix", *kOperations = "Dependencies/operations",
                     *kTimes = "Dependencies/times";

bool is_on(const Model& model, const char* option) { return model.settings.option(option, 0) > 0; }
void flip(Model& model, const char* option) {
  model.settings.options[option] = is_on(model, option) ? 0 : 1;
}

std::string responses_text(const Responses& of) {
  return fmt::format("response  min {}, mean {}, max {}", text::duration(double(of.min_ns)),
                     text::duration(double(of.mean_ns)), text::duration(double(of.max_ns)));
}

}  // namespace

void DependenciesView::ask(const Model& model, float, float, snapshot::ViewRequest& request) const {
  auto& analysis = request.analysis.emplace();
  analysis.report = snapshot::Report::kDependencyGraph;
  analysis.level =
      is_on(model, kOperations) ? snapshot::Level::kOperation : snapshot::Level::kComponent;
  analysis.limit = kNodes;
}

bool DependenciesView::animates(const Model& model) const {
  return !is_on(model, kMatrix) && pane_.animates();
}

void DependenciesView::take(const Model& model) {
  if (!answer_.take(model)) return;
  if (answer_.view()->level != level_) {
    level_ = answer_.view()->level;
    data_ = {};
    pane_.clear();
    scroll_ = {};
  }
  data_.take(*answer_.view());
}

float DependenciesView::draw_controls(const Canvas& canvas, Model& model) {
  Controls controls(canvas);
  const bool matrix = is_on(model, kMatrix), operations = is_on(model, kOperations);
  if (controls.chip("graph", !matrix, "graph (V)", "boxes and the calls between them") && matrix)
    flip(model, kMatrix);
  if (controls.chip("matrix", matrix, "matrix (V)", definition(Term::kMatrix).text) && !matrix)
    flip(model, kMatrix);
  controls.gap();
  if (controls.chip("components", !operations, "components (O)", "calls from one to another") &&
      operations)
    flip(model, kOperations);
  if (controls.chip("operations", operations, "operations (O)",
                    "the functions themselves, also within a component") &&
      !operations)
    flip(model, kOperations);
  if (!matrix) {
    controls.gap();
    const bool times = is_on(model, kTimes);
    if (controls.chip("times", times, "response times (M)",
                      "beside the number of calls how long they took on average"))
      flip(model, kTimes);
    controls.gap();
    if (controls.chip("fit", false, "fit (F)", "shows all boxes")) pane_.fit();
    if (controls.chip("arrange", false, "arrange (A)", "places all boxes anew")) pane_.arrange();
  }
  draw_traces_link(controls, model);
  const float y = controls.bottom() + canvas.px(7);
  if (const auto* answer = answer_.view()) {
    std::string more;
    const size_t unplanned = matrix ? 0 : pane_.unplanned_lines();
    if (unplanned > 0)
      more = fmt::format("{} line{} came after this arrangement (A)", unplanned,
                         unplanned == 1 ? "" : "s");
    draw_analysis_note(canvas, {canvas.min.x + canvas.px(14), y}, canvas.width() - canvas.px(28),
                       model, *answer, "all traces", more);
  }
  return y + canvas.theme.body->FontSize + canvas.px(6);
}

void DependenciesView::draw(const Canvas& canvas, Model& model) {
  if (draw_empty_state(canvas, model)) return;
  take(model);
  if (answer_.view() && !is_on(model, kMatrix)) place(canvas, model);
  const float top = draw_controls(canvas, model);
  if (draw_no_analysis(canvas, {canvas.min.x, top}, canvas.max, model, answer_.view(), {})) return;
  if (is_on(model, kMatrix))
    draw_matrix(canvas, top, model);
  else
    draw_graph(canvas, top, model);
}

void DependenciesView::select(const DependencyData::Node& node, Model& model) const {
  model.selection = {node.component, node.operation, {}};
}

bool DependenciesView::selected(const DependencyData::Node& node, const Model& model) const {
  return !node.outside() && model.selection.component == node.component &&
         (node.operation.empty() || model.selection.operation.empty() ||
          model.selection.operation == node.operation);
}

bool DependenciesView::found(const DependencyData::Node& node, const Model& model) const {
  return model.search.text.empty() || model.found(node.component) || model.found(node.operation);
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
    text = fmt::format("called {} times by {}\n{}", text::count(n.called.count), callers,
                       responses_text(n.called));
  else if (!n.outside())
    text = "not called in this window";
  if (n.itself.count > 0)
    text += fmt::format("\ncalls itself {} times", text::count(n.itself.count));
  if (made > 0)
    text += fmt::format("{}calls {} other{} {} times", text.empty() ? "" : "\n", callees,
                        callees == 1 ? "" : "s", text::count(made));
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
          : fmt::format("{} call{}, {}\n{}", text::count(calls.count), calls.count == 1 ? "" : "s",
                        text::per_second(seconds > 0 ? double(calls.count) / seconds : 0),
                        responses_text(calls)),
      definition(Term::kDependency).text);
}

bool DependenciesView::key(int glfw_key, Model& model) {
  switch (glfw_key) {
    case GLFW_KEY_V:
      flip(model, kMatrix);
      return true;
    case GLFW_KEY_O:
      flip(model, kOperations);
      return true;
    case GLFW_KEY_M:
      flip(model, kTimes);
      return true;
    case GLFW_KEY_F:
      pane_.fit();
      return true;
    case GLFW_KEY_A:
      pane_.arrange();
      return true;
    default:
      return false;
  }
}

std::unique_ptr<View> make_dependencies_view() { return std::make_unique<DependenciesView>(); }

}  // namespace compmond::ui
