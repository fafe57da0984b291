// SPDX-License-Identifier: Apache-2.0
#include "ui/views/sequence/sequence.h"

#include <algorithm>
#include <cmath>

#include "text/clean.h"
#include "text/numbers.h"
#include "ui/kit/draw.h"
#include "ui/kit/pan_zoom.h"
#include "ui/model/trace_links.h"
#include "ui/views/shared/switch.h"

namespace compmond::ui {
namespace {

// Design pixels.
constexpr Switch kFold{"Sequence/fold", true};
constexpr float kHeaders = 34, kGutter = 78;
constexpr float kLeastColumn = 116, kMostColumn = 230, kWidestColumn = 330;
constexpr float kScroll = 70;  // per notch of the wheel
constexpr double kMinZoom = 0.3, kMaxZoom = 2.5;
constexpr double kReach = 6;  // how near to an arrow the pointer means it

}  // namespace

SequenceView::Frame SequenceView::frame_of(const Canvas& canvas) const {
  Frame frame{canvas, *shown_.trace(), 0, 0, 0, 0, canvas.theme.scale * zoom_, {}};
  frame.left = canvas.min.x + canvas.px(kGutter);
  frame.top = canvas.min.y + canvas.px(kTraceBar + kHeaders);
  frame.right = canvas.max.x - canvas.px(8);
  frame.bottom = canvas.max.y - canvas.px(8);
  frame.origin = {frame.left - scroll_.x, frame.top - scroll_.y};
  return frame;
}

void SequenceView::lay_out(const Canvas& canvas, const Model& model) {
  diagrams::SequenceStyle style;
  style.fold = folded_ = kFold.on(model);
  const AnsweredTrace trace = *shown_.trace();
  layout_ = diagrams::lay_out_sequence({trace.operations, trace.steps}, style);
  float widest = 0;
  for (const std::string& component : layout_.lifelines)
    widest = std::max(widest, text_size(canvas.theme.bold, model.name_of(component)).x);
  const float least =
      std::clamp(widest + canvas.px(34), canvas.px(kLeastColumn), canvas.px(kMostColumn));
  const float room = canvas.width() - canvas.px(kGutter + 40);
  const float each = room / (float(layout_.lifelines.size()) + 0.5f);
  layout_.column = std::clamp(each, least, canvas.px(kWidestColumn)) / canvas.theme.scale;
}

ImVec2 SequenceView::content(const Frame& frame) const {
  return {float(layout_.width()) * frame.unit, float(layout_.height) * frame.unit};
}

void SequenceView::keep_in(const Frame& frame) {
  const ImVec2 size = content(frame);
  const float wide = size.x - (frame.right - frame.left),
              high = size.y - (frame.bottom - frame.top);
  scroll_.x = std::clamp(scroll_.x, 0.0f, std::max(0.0f, wide));
  scroll_.y = std::clamp(scroll_.y, 0.0f, std::max(0.0f, high));
}

void SequenceView::start_over(const Model& model) {
  drag_.reset();
  if (model.chosen.trace) scroll_ = {0, 0};
}

void SequenceView::draw_trace(const Canvas& canvas, Model& model) {
  lay_out(canvas, model);
  keep_in(frame_of(canvas));
  {
    const Frame before = frame_of(canvas);
    pointed_.reset();
    draw_headers(before, model);
    handle_mouse(before, model);
    keep_in(frame_of(canvas));
  }
  std::string more;
  if (layout_.folded > 0)
    more = text::counted(layout_.folded, "execution repeats another and is",
                         "executions repeat others and are") +
           " folded into loops";
  const Frame frame = frame_of(canvas);
  canvas.list->PushClipRect({canvas.min.x, frame.top}, {frame.right, frame.bottom}, true);
  draw_times(frame, trace_notes_top(canvas, frame.trace, more));
  canvas.list->PopClipRect();
  canvas.list->PushClipRect({frame.left, frame.top}, {frame.right, frame.bottom}, true);
  draw_lifelines(frame);
  draw_loops(frame);
  draw_activations(frame, model);
  draw_messages(frame);
  canvas.list->PopClipRect();
  draw_scrollbars(frame);
  draw_trace_notes(canvas, frame.trace, more);
  if (pointed_ && !drag_)
    step_tooltip(canvas.theme, model, frame.trace, *pointed_,
                 "Click selects; a double click shows its place on the timeline.");
}

void SequenceView::draw_headers(const Frame& frame, Model& model) {
  const Canvas& canvas = frame.canvas;
  const Theme& theme = canvas.theme;
  const float top = frame.top - canvas.px(kHeaders), bottom = frame.top;
  draw_ground(canvas.list, {canvas.min.x, top}, {canvas.max.x, bottom}, theme.panel);
  canvas.list->AddLine({canvas.min.x, bottom}, {canvas.max.x, bottom}, theme.line);
  const ImVec2 chip{canvas.min.x + canvas.px(14), top + canvas.px(5)};
  if (button(theme, "fold", chip, {chip.x + canvas.px(50), bottom - canvas.px(5)},
             folded_ ? Look::kFilled : Look::kPlain))
    kFold.flip(model);
  if (ImGui::IsItemHovered())
    tooltip(theme, "fold", "Calls that repeat one after the other are drawn once, as a loop.");
  canvas.list->PushClipRect({frame.left, top}, {frame.right, bottom}, true);
  for (size_t i = 0; i < layout_.lifelines.size(); ++i) {
    const float column = float(layout_.column) * frame.unit;
    const float half = std::min(column, canvas.px(kMostColumn)) / 2 - canvas.px(5);
    const float x = frame.x(layout_.line_x(int(i)));
    const ImVec2 min{x - half, top + canvas.px(5)}, max{x + half, bottom - canvas.px(5)};
    if (max.x < frame.left || min.x > frame.right) continue;
    const std::string& path = layout_.lifelines[i];
    const bool selected = model.selection.component == path;
    canvas.list->AddRectFilled(min, max, theme.raised, canvas.px(4));
    if (selected) canvas.list->AddRect(min, max, theme.blue, canvas.px(4), 0, canvas.px(1.5f));
    const float x0 = std::max(min.x, frame.left), x1 = std::min(max.x, frame.right);
    if (x1 - x0 < 2) continue;
    const std::string name = model.name_of(path);
    draw_text_centred(canvas.list, theme.bold, {(x0 + x1) / 2, (min.y + max.y) / 2},
                      model.found(path) ? theme.strong : theme.dim,
                      ellipsized(theme.bold, name, x1 - x0 - canvas.px(8), model.short_names));
    ImGui::SetCursorScreenPos({x0, min.y});
    ImGui::PushID(int(i));
    if (ImGui::InvisibleButton("header", {x1 - x0, max.y - min.y})) {
      model.selection = {};
      if (!selected) model.selection.component = path;
    }
    ImGui::PopID();
    if (ImGui::IsItemHovered()) tooltip(theme, text::clean(path), "");
  }
  canvas.list->PopClipRect();
}

void SequenceView::zoom(const Frame& frame, double factor, ImVec2 at) {
  const geometry::Camera now{zoom_, {scroll_.x / zoom_, scroll_.y / zoom_}};
  const geometry::Camera next =
      geometry::zoomed(now, factor, {at.x - frame.left, at.y - frame.top}, kMinZoom, kMaxZoom);
  zoom_ = float(next.zoom);
  scroll_ = {float(next.origin.x * next.zoom), float(next.origin.y * next.zoom)};
}

void SequenceView::handle_mouse(const Frame& frame, Model& model) {
  const Canvas& canvas = frame.canvas;
  ImGui::SetCursorScreenPos({canvas.min.x, frame.top});
  ImGui::InvisibleButton("plot", {std::max(1.0f, frame.right - canvas.min.x),
                                  std::max(1.0f, frame.bottom - frame.top)});
  const ImGuiIO& io = ImGui::GetIO();
  hovered_ = ImGui::IsItemHovered();
  if (hovered_) pointed_ = step_at(frame, io.MousePos);
  if (hovered_ && io.KeyCtrl && io.MouseWheel != 0) {
    zoom(frame, std::pow(kPerNotch, io.MouseWheel), io.MousePos);
  } else if (hovered_) {
    const float sideways = io.MouseWheelH + (io.KeyShift ? io.MouseWheel : 0);
    scroll_.x -= sideways * canvas.px(kScroll);
    if (!io.KeyShift) scroll_.y -= io.MouseWheel * canvas.px(kScroll);
  }
  if (ImGui::IsItemActivated()) drag_ = Drag{io.MousePos, scroll_, false};
  if (drag_ && ImGui::IsItemActive()) {
    const ImVec2 by{io.MousePos.x - drag_->from.x, io.MousePos.y - drag_->from.y};
    drag_->moved |= std::hypot(by.x, by.y) >= canvas.px(kDragAfter);
    if (drag_->moved) scroll_ = {drag_->scroll.x - by.x, drag_->scroll.y - by.y};
  }
  if (drag_ && ImGui::IsItemDeactivated()) {
    if (!drag_->moved) pick(model, step_at(frame, io.MousePos));
    drag_.reset();
  }
  if (!hovered_ || !pointed_) return;
  ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left))
    show_on_timeline(model, picked_step(frame.trace, *pointed_));
}

std::optional<uint32_t> SequenceView::step_at(const Frame& frame, ImVec2 at) const {
  for (const auto& message : layout_.messages) {
    if (std::abs(frame.y(message.y) - at.y) > kReach * frame.canvas.theme.scale) continue;
    const float x0 = frame.x(layout_.from_x(message)), x1 = frame.x(layout_.to_x(message));
    const bool self = message.from == message.to;
    if (at.x >= std::min(x0, x1) && at.x <= std::max(x0, x1) + (self ? 26 * frame.unit : 0))
      return message.step;
  }
  std::optional<uint32_t> found;  // the deepest: those inside come later
  for (const auto& activation : layout_.activations) {
    const geometry::Rect box = layout_.box(activation);
    if (at.y >= frame.y(box.y0) && at.y <= frame.y(box.y1) && at.x >= frame.x(box.x0) - 3 &&
        at.x <= frame.x(box.x1) + 3)
      found = activation.step;
  }
  return found;
}

void SequenceView::show_all() {
  zoom_ = 1;
  scroll_ = {0, 0};
}

}  // namespace compmond::ui
