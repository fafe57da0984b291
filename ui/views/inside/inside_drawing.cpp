// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "text/clean.h"
#include "text/match.h"
#include "text/numbers.h"
#include "ui/kit/draw.h"
#include "ui/views/inside/inside.h"
#include "ui/views/inside/whose.h"

namespace compmond::ui {
namespace {

using snapshot::Whose;

constexpr float kSide = 14, kLegend = 24;          // design pixels
constexpr float kDimmed = 0.72f, kAround = 0.45f;  // towards the ground
constexpr std::array kWhose = {Whose::kOwn,  Whose::kLibrary, Whose::kKernel,
                               Whose::kVdso, Whose::kUnknown, Whose::kMissing};

const char* legend_text(Whose whose) {
  return whose == Whose::kUnknown ? "no file" : whose_text(whose);
}

}  // namespace

const snapshot::Inside::Function* InsideView::function_of(uint32_t node) const {
  const int64_t number = tree_.nodes[node].operation;
  return number < 0 ? nullptr : &inside()->functions[size_t(number)];
}

void InsideView::zoom_into_selected(const Model& model) {
  if (!inside() || tree_for_.revision != revision_) return;  // not drawn yet
  const auto by = this->by(model);
  const diagrams::CallTreeNode* widest = nullptr;
  for (uint32_t node = 1; node < tree_.nodes.size(); ++node) {
    const diagrams::CallTreeNode& one = tree_.nodes[node];
    if (row_key(*function_of(node), by) == selected_ && (!widest || one.raw_ns > widest->raw_ns))
      widest = &one;
  }
  if (widest && pane_.top_key() != widest->key)
    pane_.zoom_to(tree_, uint32_t(widest - tree_.nodes.data()));
}

void InsideView::make_drawing(const Model& model, float width) {
  const DrawnFor tree{revision_, kCallers.on(model), time(model)};
  if (tree != tree_for_) {
    if (tree.callers != tree_for_.callers) pane_.show_all();
    tree_for_ = tree;
    tree_ = inside_tree(*inside(), tree.callers, tree.time);
  }
  pane_.follow(tree_);
  const FlameFor now{tree, pane_.top_key(), width};
  if (now == flame_for_) return;
  flame_for_ = now;
  flame_ = diagrams::flame(tree_, pane_.top(tree_), diagrams::FlameWidth::kRaw, width);
}

void InsideView::draw_box(const Canvas& canvas, const diagrams::FlameBox& box, ImVec2 min,
                          ImVec2 max, float rounding, const Model& model) {
  const Theme& theme = canvas.theme;
  const auto* function = function_of(box.node);
  const std::string name =
      function ? text::clean(label(*function))
               : text::clean(operation_.empty() ? text::leaf(component_) : operation_);
  const bool lost = !model.search.text.empty() && !(function && model.found(name));
  ImU32 fill = theme.bar;
  if (function)
    fill = draw_whose(canvas, min, max, function->whose,
                      lost         ? kDimmed
                      : box.around ? kAround
                                   : 0,
                      rounding);
  else
    canvas.list->AddRectFilled(min, max, fill, rounding);
  if (function && !selected_.empty() && row_key(*function, by(model)) == selected_)
    canvas.list->AddRect(min, max, theme.blue, rounding, 0, canvas.px(2));
  draw_flame_name(canvas, min, max, fill, name);
}

void InsideView::node_tooltip(const Canvas& canvas, uint32_t node, const Model& model) const {
  const snapshot::Inside& inside = *this->inside();
  const auto& nodes = kCallers.on(model) ? inside.callers : inside.callees;
  const snapshot::Inside::Node& n = nodes[node];
  const double both = n.cpu_ns + n.waiting_ns, all = nodes[0].cpu_ns + nodes[0].waiting_ns;
  std::string text;
  const auto* function = function_of(node);
  if (function)
    text = (function->image.empty()
                ? std::string(whose_text(function->whose.known().value_or(Whose::kUnknown)))
                : text::clean(function->image)) +
           "\n";
  const auto split = [&](double cpu, double waiting) {
    return waits() ? fmt::format(": {} on CPU, {} waiting", text::duration(cpu),
                                 text::duration(waiting))
                   : std::string();
  };
  text += fmt::format("this path  {}", text::duration(both));
  if (all > 0) text += fmt::format(", {} of it", text::percent(100 * both / all));
  text += split(n.cpu_ns, n.waiting_ns);
  if (const double own = n.own_cpu_ns + n.own_waiting_ns; own > 0)
    text += fmt::format("\n    its own  {}", text::duration(own)) +
            split(n.own_cpu_ns, n.own_waiting_ns);
  text += "\n    from " + text::counted(n.samples, "sample");
  if (n.samples < snapshot::kFewSamples) text += ": too few to rely on";
  if (function && function->total.samples > 0) {
    InsideRow row;
    row.own = snapshot::estimated_of(function->own);
    row.total = snapshot::estimated_of(function->total);
    text += "\n\non all paths\n" + figures_text(row);
  }
  tooltip(canvas.theme, function ? text::clean(label(*function)) : text::clean(component_), text,
          "Click looks at it alone, once more or Esc goes back.");
}

void InsideView::drawing_mouse(const Canvas& place, Model& model) {
  const FlamePane::Pointed on = pane_.mouse(place, flame_, !kIcicle.on(model));
  if (on.box) {
    node_tooltip(place, on.box->node, model);
    if (!on.clicked) return;
    if (const auto* function = function_of(on.box->node)) select(row_key(*function, by(model)));
    pane_.zoom_to(tree_, on.box->node);
  } else if (on.fold) {
    tooltip(place.theme, text::counted(on.fold->paths, "path") + " too narrow to draw",
            fmt::format("{}, {}", text::duration(double(on.fold->raw_ns)),
                        text::counted(on.fold->count, "sample")),
            "A click on the box they stand on makes them wider.");
  }
}

// The colours that are there.
void InsideView::draw_legend(const Canvas& canvas, float top) const {
  const Theme& theme = canvas.theme;
  const float side = canvas.px(9), y = top + (canvas.max.y - top) / 2;
  float x = canvas.min.x + canvas.px(kSide);
  for (const Whose whose : kWhose) {
    const bool there = std::ranges::any_of(
        inside()->functions, [&](const auto& function) { return function.whose == whose; });
    const float width = side + canvas.px(5) + text_size(theme.small, legend_text(whose)).x;
    if (!there || x + width > canvas.max.x) continue;
    draw_whose(canvas, {x, y - side / 2}, {x + side, y + side / 2}, whose, 0, canvas.px(2));
    draw_text(canvas.list, theme.small, {x + side + canvas.px(5), y - theme.small->FontSize / 2},
              theme.dim, legend_text(whose));
    x += width + canvas.px(13);
  }
}

void InsideView::draw_drawing(const Canvas& canvas, Model& model) {
  const float bottom = canvas.max.y - canvas.px(kLegend);
  const Canvas place{canvas.list, canvas.min, {canvas.max.x, bottom}, canvas.theme};
  make_drawing(model, FlamePane::width_in(place));
  draw_legend(canvas, bottom);
  if (tree_.empty() || tree_.nodes[0].raw_ns == 0) {
    draw_empty(canvas.list, canvas.theme, place.min, place.max,
               tree_.empty() ? "No stack tells more." : "No time of this kind.", "");
    return;
  }
  drawing_mouse(place, model);
  pane_.draw(place, flame_, !kIcicle.on(model),
             [&](const auto& box, ImVec2 min, ImVec2 max, float rounding) {
               draw_box(place, box, min, max, rounding, model);
             });
}

}  // namespace compmond::ui
