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
#include "ui/views/shared/operation_name.h"

namespace compmond::ui {
namespace {

using snapshot::Whose;

constexpr float kRow = 21, kSide = 10, kPad = 5, kLegend = 24;  // design pixels
constexpr float kLeastText = 26;                                // narrower boxes say nothing
constexpr float kDimmed = 0.72f, kAround = 0.45f;               // towards the ground
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

uint32_t InsideView::top() const {
  const auto* node = zooms_.empty() ? nullptr : tree_.find(zooms_.back());
  return node ? uint32_t(node - tree_.nodes.data()) : 0;
}

void InsideView::zoom_to(uint32_t node) {
  if (node == top()) {
    // Once more: back to where it was.
    if (!zooms_.empty()) zooms_.pop_back();
  } else if (node == 0) {
    zooms_.clear();
  } else {
    zooms_.push_back(tree_.nodes[node].key);
  }
  scroll_ = 0;
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
  if (widest && (zooms_.empty() || zooms_.back() != widest->key)) {
    zooms_.push_back(widest->key);
    scroll_ = 0;
  }
}

void InsideView::make_drawing(const Model& model, float width) {
  const DrawnFor tree{revision_, kCallers.on(model), time(model)};
  if (tree != tree_for_) {
    if (tree.callers != tree_for_.callers) zooms_.clear(), scroll_ = 0;
    tree_for_ = tree;
    tree_ = inside_tree(*inside(), tree.callers, tree.time);
  }
  while (!zooms_.empty() && !tree_.find(zooms_.back())) zooms_.pop_back();  // not met any more
  const FlameFor now{tree, zooms_.empty() ? 0 : zooms_.back(), width};
  if (now == flame_for_) return;
  flame_for_ = now;
  flame_ = diagrams::flame(tree_, top(), diagrams::FlameWidth::kRaw, width);
}

// Rows go upwards from the bottom in a flame graph, downwards from the top in an icicle.
float InsideView::row_top(const Canvas& canvas, float bottom, int row, const Model& model) const {
  const float from_root = canvas.px(kRow) * float(row) - scroll_;
  return kIcicle.on(model) ? canvas.min.y + from_root : bottom - canvas.px(kRow) - from_root;
}

void InsideView::draw_box(const Canvas& canvas, const diagrams::FlameBox& box, float y,
                          const Model& model) {
  const Theme& theme = canvas.theme;
  const auto* function = function_of(box.node);
  const float left = canvas.min.x + canvas.px(kSide);
  const ImVec2 min{left + float(box.x0), y},
      max{left + float(box.x1) - (box.x1 - box.x0 > 4 ? 1 : 0), y + canvas.px(kRow) - 1};
  const float rounding = box.x1 - box.x0 > 8 ? canvas.px(2) : 0;
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
  const float room = max.x - min.x - canvas.px(2 * kPad);
  if (room < canvas.px(kLeastText)) return;
  const bool fits = text_size(theme.small, name).x <= room;
  draw_text(canvas.list, theme.small,
            {min.x + canvas.px(kPad), y + (canvas.px(kRow) - theme.small->FontSize) / 2},
            text_on(theme, fill), fits ? name : short_operation(name), room);
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

void InsideView::drawing_mouse(const Canvas& canvas, float bottom, Model& model) {
  ImGui::SetCursorScreenPos(canvas.min);
  const bool clicked = ImGui::InvisibleButton(
      "drawing", {std::max(1.f, canvas.width()), std::max(1.f, bottom - canvas.min.y)});
  const ImGuiIO& io = ImGui::GetIO();
  const float row = canvas.px(kRow);
  const float most = std::max(0.f, row * float(flame_.rows) - (bottom - canvas.min.y));
  scroll_ = std::clamp(scroll_, 0.f, most);
  if (!ImGui::IsItemHovered()) return;
  const float up = kIcicle.on(model) ? -1 : 1;
  if (io.MouseWheel != 0) scroll_ = std::clamp(scroll_ + up * io.MouseWheel * row * 3, 0.f, most);
  if (ImGui::IsMouseClicked(3) && !zooms_.empty()) zooms_.pop_back();  // "back" of the mouse
  const double x = io.MousePos.x - canvas.min.x - canvas.px(kSide);
  const auto on_row = [&](int at) {
    const float y = row_top(canvas, bottom, at, model);
    return io.MousePos.y >= y && io.MousePos.y < y + row;
  };
  for (const diagrams::FlameBox& box : flame_.boxes) {
    if (x < box.x0 || x > box.x1 || !on_row(box.row)) continue;
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    node_tooltip(canvas, box.node, model);
    if (!clicked) return;
    if (const auto* function = function_of(box.node)) select(row_key(*function, by(model)));
    zoom_to(box.node);
    return;
  }
  for (const diagrams::FlameFold& fold : flame_.folds)
    if (x >= fold.x0 - 1 && x <= fold.x1 + 1 && on_row(fold.row))
      tooltip(canvas.theme, text::counted(fold.paths, "path") + " too narrow to draw",
              fmt::format("{}, {}", text::duration(double(fold.raw_ns)),
                          text::counted(fold.count, "sample")),
              "A click on the box they stand on makes them wider.");
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
  make_drawing(model, canvas.width() - canvas.px(2 * kSide));
  const float bottom = canvas.max.y - canvas.px(kLegend);
  draw_legend(canvas, bottom);
  if (tree_.empty() || tree_.nodes[0].raw_ns == 0) {
    draw_empty(canvas.list, canvas.theme, canvas.min, {canvas.max.x, bottom},
               tree_.empty() ? "No stack tells more." : "No time of this kind.", "");
    return;
  }
  drawing_mouse(canvas, bottom, model);
  canvas.list->PushClipRect(canvas.min, {canvas.max.x, bottom}, true);
  const float row = canvas.px(kRow);
  const auto shown = [&](float y) { return y + row > canvas.min.y && y < bottom; };
  for (const diagrams::FlameBox& box : flame_.boxes)
    if (const float y = row_top(canvas, bottom, box.row, model); shown(y))
      draw_box(canvas, box, y, model);
  for (const diagrams::FlameFold& fold : flame_.folds) {
    const float left = canvas.min.x + canvas.px(kSide);
    if (const float y = row_top(canvas, bottom, fold.row, model); shown(y))
      canvas.list->AddRectFilled({left + float(fold.x0), y},
                                 {left + std::max(float(fold.x1), float(fold.x0) + 1), y + row - 1},
                                 canvas.theme.bar_line);
  }
  canvas.list->PopClipRect();
}

}  // namespace compmond::ui
