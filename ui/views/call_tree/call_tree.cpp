// SPDX-License-Identifier: Apache-2.0
#include "ui/views/call_tree/call_tree.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <fmt/format.h>

#include <algorithm>

#include "text/clean.h"
#include "text/numbers.h"
#include "ui/kit/draw.h"
#include "ui/views/shared/definitions.h"
#include "ui/views/shared/empty.h"

namespace compmond::ui {
namespace {

constexpr uint32_t kNodes = 4'000;  // more paths are not read by anybody
constexpr size_t kAllOpen = 50;     // so many paths need not be opened by hand
constexpr Switch kFlame{"Call tree/flame"}, kReal{"Call tree/real"};

}  // namespace

CallTreeView::Scope CallTreeView::scope_of(const TraceChoice& chosen) {
  return chosen.trace ? Scope::kTrace : chosen.class_number ? Scope::kClass : Scope::kAll;
}

CallTreeView::Scope CallTreeView::scope(const Model& model) const {
  return model.chosen == chosen_ ? scope_ : scope_of(model.chosen);
}

std::string CallTreeView::scope_text(const Model& model) const {
  switch (scope(model)) {
    case Scope::kTrace:
      return fmt::format("trace {}", *model.chosen.trace);
    case Scope::kClass:
      return fmt::format("class {}", *model.chosen.class_number);
    case Scope::kAll:
      break;
  }
  return {};
}

bool CallTreeView::flame_shown(const Model& model) const { return kFlame.on(model); }

diagrams::FlameWidth CallTreeView::width_of(const Model& model) const {
  return kReal.on(model) ? diagrams::FlameWidth::kReal : diagrams::FlameWidth::kRaw;
}

void CallTreeView::ask(const Model& model, ImVec2, snapshot::ViewRequest& request) const {
  auto& analysis = request.analysis.emplace();
  analysis.report = snapshot::Report::kCallTree;
  analysis.limit = kNodes;
  if (scope(model) == Scope::kTrace) analysis.trace = model.chosen.trace;
  if (scope(model) == Scope::kClass) analysis.class_number = model.chosen.class_number;
}

void CallTreeView::take(const Model& model) {
  scope_ = scope(model);
  chosen_ = model.chosen;
  if (scope_text(model) != asked_what_) {
    asked_what_ = scope_text(model);
    asked_ = model.generation;
  }
  const bool fresh = answer_.take(model);
  // One answer may have been on its way when the question changed.
  if (fresh || model.generation >= asked_ + 2) what_ = asked_what_;
  if (!fresh) return;
  const snapshot::AnalysisView& answer = *answer_.view();
  tree_ = diagrams::CallTree(answer.operations, *answer.as<snapshot::CallTree>());
  ++revision_;
  hottest_ns_ = 1;
  if (!opened_ && !tree_.empty() && tree_.nodes.size() <= kAllOpen)
    opening_ = diagrams::TreeOpening::all();
  opened_ |= !tree_.empty();
  for (const auto& node : tree_.nodes) hottest_ns_ = std::max(hottest_ns_, node.real_ns);
}

bool CallTreeView::found(const Model& model, uint32_t node) const {
  const auto* operation = tree_.operation(node);
  return operation && (model.found(operation->component) || model.found(operation->name));
}

void CallTreeView::select(uint32_t node, Model& model) {
  focus_ = tree_.nodes[node].key;
  model.selection = {};
  if (const auto* operation = tree_.operation(node))
    model.selection = {operation->component, operation->name, {}};
}

void CallTreeView::draw_scope(Controls& controls, const Model& model) {
  if (!model.chosen.trace && !model.chosen.class_number) return;
  const auto choice = [&](Scope which, const std::string& label, const char* text) {
    if (controls.chip(label, scope(model) == which, label, text)) scope_ = which;
  };
  controls.gap();
  choice(Scope::kAll, "all traces", "the calls of all traces of the window together");
  if (model.chosen.class_number)
    choice(Scope::kClass, fmt::format("class {}", *model.chosen.class_number),
           "only traces of the class that was chosen in Traces: those with the same calls in the "
           "same order");
  if (model.chosen.trace)
    choice(Scope::kTrace, fmt::format("trace {}", *model.chosen.trace),
           "only the trace that was chosen in Traces");
}

float CallTreeView::draw_controls(const Canvas& canvas, Model& model) {
  Controls controls(canvas);
  const bool flame = kFlame.on(model);
  draw_switch(controls, model, kFlame,
              {"tree", "tree (V)", "call paths as rows with their figures"},
              {"flame graph", "flame graph (V)", definition(Term::kFlame).text});
  controls.gap();
  draw_switch(controls, model, kReal, {"raw", "raw times (M)", definition(Term::kPathRaw).text},
              {"real", "real times (M)",
               flame ? "A box is as wide as the real times of it and of all below it."
                     : definition(Term::kPathReal).text});
  if (flame) {
    controls.gap();
    draw_switch(controls, model, hotness_,
                {"components", "colours of components",
                 "a colour for each component, to see whose calls these are"},
                {"hotness", "colours of hotness",
                 "the more of the real time a path has itself, the hotter"});
  }
  draw_scope(controls, model);
  draw_traces_link(controls, model);
  return draw_analysis_note(canvas, controls, model, answer_.view(),
                            what_.empty() ? "all traces" : what_);
}

void CallTreeView::draw(const Canvas& canvas, Model& model) {
  if (draw_empty_state(canvas, model)) return;
  take(model);
  const float top = draw_controls(canvas, model);
  if (draw_no_analysis(canvas, {canvas.min.x, top}, canvas.max, model, answer_.view(), what_))
    return;
  if (flame_shown(model))
    draw_flame({canvas.list, {canvas.min.x, top}, canvas.max, canvas.theme}, model);
  else
    draw_rows(canvas, top, model);
}

void CallTreeView::node_tooltip(const Canvas& canvas, uint32_t node) const {
  const diagrams::CallTreeNode& n = tree_.nodes[node];
  const auto* operation = tree_.operation(node);
  const double raw = double(n.raw_ns), all = double(tree_.nodes[0].raw_ns);
  std::string text =
      answer_.mark() + text::counted(n.count, "call") + "\nraw  " + text::duration(raw);
  if (all > 0 && node > 0) text += fmt::format(", {} of all", text::percent(100 * raw / all));
  if (n.parent > 0 && tree_.nodes[size_t(n.parent)].raw_ns > 0)
    text += fmt::format(", {} of its caller's",
                        text::percent(100 * raw / double(tree_.nodes[size_t(n.parent)].raw_ns)));
  if (node == 0) {
    text = fmt::format("{} traces\nraw  {}", text::count(n.count), text::duration(raw));
  } else {
    text += fmt::format("\nreal  {}", text::duration(double(n.real_ns)));
    if (all > 0) text += fmt::format(", {} of all", text::percent(100 * double(n.real_ns) / all));
    if (n.count > 0)
      text += fmt::format("\nof one, mean  raw {}, real {}", text::duration(raw / double(n.count)),
                          text::duration(double(n.real_ns) / double(n.count)));
  }
  tooltip(canvas.theme,
          operation ? text::clean(operation->component) + "  " + text::clean(operation->name)
                    : "$, outside",
          text,
          fmt::format("{} {}", definition(Term::kPathRaw).text, definition(Term::kPathReal).text));
}

bool CallTreeView::key(int glfw_key, Model& model) {
  switch (glfw_key) {
    case GLFW_KEY_V:
      kFlame.flip(model);
      return true;
    case GLFW_KEY_M:
      kReal.flip(model);
      return true;
    default:
      break;
  }
  if (tree_.empty()) return false;
  return flame_shown(model) ? flame_key(glfw_key, model) : row_key(glfw_key, model);
}

}  // namespace compmond::ui
