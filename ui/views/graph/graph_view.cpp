// SPDX-License-Identifier: Apache-2.0
#include "ui/views/graph/graph_view.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <fmt/format.h>

#include <algorithm>

#include "ui/kit/draw.h"

namespace compmond::ui {
namespace {

constexpr double kSayArrangingAfter = 0.4;  // s; shorter waits need no words
constexpr float kControls = 64;             // design pixels above the graph

}  // namespace

void GraphView::ask(const Model& model, ImVec2, snapshot::ViewRequest& request) const {
  auto& analysis = request.analysis.emplace();
  analysis.report = kind_.report;
  analysis.level = by_program(model)            ? snapshot::Level::kProgram
                   : kind_.operations.on(model) ? snapshot::Level::kOperation
                                                : snapshot::Level::kComponent;
  analysis.limit = kind_.limit;
}

void GraphView::take(const Model& model) {
  if (!answer_.take(model)) return;
  if (answer_.view()->level != level_) {
    level_ = answer_.view()->level;
    pane_.clear();
    forget();
  }
  learn(answer_.view()->content);
}

layout::MapStyle GraphView::style(const Canvas& canvas) const {
  layout::MapStyle style;
  style.area_width = canvas.width() / canvas.theme.scale;
  style.area_height = canvas.height() / canvas.theme.scale - kControls;
  return style;
}

bool GraphView::by_program(const Model& model) const {
  return kind_.programs && kind_.programs->on(model);
}

void GraphView::next_level(Model& model) const {
  if (by_program(model)) {
    kind_.programs->set(model, false);
    kind_.operations.set(model, false);
  } else if (kind_.programs && kind_.operations.on(model)) {
    kind_.programs->set(model, true);
  } else {
    kind_.operations.flip(model);
  }
}

void GraphView::draw_level(Controls& controls, Model& model) {
  const bool programs = by_program(model), operations = kind_.operations.on(model);
  const auto chosen = [&](const Side& side, bool on) {
    return controls.chip(side.label, on, side.title, side.text) && !on;
  };
  const auto set = [&](bool to_operations) {
    kind_.operations.set(model, to_operations);
    if (kind_.programs) kind_.programs->set(model, false);
  };
  if (chosen({"components", "components (O)", kind_.of_components}, !programs && !operations))
    set(false);
  if (chosen({"operations", "operations (O)", kind_.of_operations}, !programs && operations))
    set(true);
  if (kind_.programs && chosen({"programs", "programs (O)",
                                "which program calls which; of a log of Kieker, which host"},
                               programs))
    kind_.programs->set(model, true);
}

void GraphView::draw_placing(Controls& controls) {
  controls.gap();
  if (controls.chip("fit", false, "fit (F)", fmt::format("shows all {}", kind_.boxes))) pane_.fit();
  if (controls.chip("arrange", false, "arrange (A)",
                    fmt::format("places all {} anew", kind_.boxes)))
    pane_.arrange();
}

std::optional<GraphPane::Pointed> GraphView::draw_graph(const Canvas& canvas, ImVec2 min,
                                                        ImVec2 max, const Model& model) {
  if (!pane_.ready()) {
    if (pane_.waiting_s(model.clock_s) > kSayArrangingAfter)
      draw_empty(canvas.list, canvas.theme, min, max,
                 fmt::format("Arranging {} {}.", pane_.asked_boxes(), kind_.boxes), "");
    return std::nullopt;
  }
  const auto at = pane_.point(canvas, min, max, shown_boxes_, shown_lines_, model.clock_s);
  const GraphSight sight = pane_.sight(canvas);
  const auto& boxes = pane_.scene().boxes;
  canvas.list->PushClipRect(min, max, true);
  draw_frames(sight);
  draw_lines(sight, at, model);
  for (size_t n = 0; n < boxes.size(); ++n)
    if (shown_boxes_[n] && !boxes[n].empty() && sight.visible(boxes[n]))
      draw_box(sight, n, at.node == int(n), model);
  labels_.draw(sight);
  canvas.list->PopClipRect();
  return at;
}

void GraphView::draw_lines(const GraphSight& sight, const GraphPane::Pointed& at,
                           const Model& model) {
  const Theme& theme = sight.canvas.theme;
  const auto& scene = pane_.scene();
  const float scale = std::clamp(sight.zoom(), 0.35f, 1.4f);
  std::vector<size_t> lines;
  std::vector<geometry::Rect> boxes;
  std::vector<LineLabels::Wish> wishes;
  for (size_t e = 0; e < shown_lines_.size(); ++e) {
    if (!shown_lines_[e]) continue;
    lines.push_back(e);
    LineLook look = this->look(e, at, model);
    wishes.push_back(
        {e, std::move(look.text), std::move(look.brief), look.touched ? theme.strong : theme.dim});
    if (!sight.visible(geometry::bounds(scene.curves[e]).grown(1))) continue;
    const ImU32 ink = look.touched ? theme.text : mix(theme.faint, theme.dim, 0.55f);
    draw_graph_line(
        sight, scene.lines[e],
        {mix(theme.background, ink, look.strength), sight.canvas.px(look.width) * scale, false});
  }
  for (size_t n = 0; n < scene.boxes.size(); ++n)
    if (shown_boxes_[n] && !scene.boxes[n].empty()) boxes.push_back(scene.boxes[n]);
  labels_.place(sight, scene, pane_.revision(), boxes, lines, wishes);
}

GraphView::Box GraphView::draw_body(const GraphSight& sight, size_t box, float rounding,
                                    ImU32 fill) const {
  const geometry::Rect& at = pane_.scene().boxes[box];
  const Box out{sight.screen({at.x0, at.y0}), sight.screen({at.x1, at.y1}),
                sight.canvas.px(rounding) * std::min(1.0f, sight.zoom())};
  ImDrawList* list = sight.canvas.list;
  list->AddRectFilled(out.min, out.max, fill, out.rounding);
  list->AddRect(out.min, out.max, sight.canvas.theme.bar_line, out.rounding, 0, sight.canvas.px(1));
  return out;
}

void GraphView::draw_rim(const GraphSight& sight, const Box& box, bool chosen) const {
  const float out = sight.canvas.px(2);
  sight.canvas.list->AddRect({box.min.x - out, box.min.y - out}, {box.max.x + out, box.max.y + out},
                             with_alpha(sight.canvas.theme.blue, chosen ? 1 : 0.5f),
                             box.rounding + out, 0, sight.canvas.px(2));
}

bool GraphView::key(int glfw_key, Model& model) {
  switch (glfw_key) {
    case GLFW_KEY_O:
      next_level(model);
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

}  // namespace compmond::ui
