// SPDX-License-Identifier: Apache-2.0
#include "ui/views/trace_timing/trace_timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ui/kit/draw.h"
#include "ui/kit/pan_zoom.h"
#include "ui/model/trace_links.h"
#include "ui/views/shared/operation_name.h"

namespace compmond::ui {
namespace {

// Design pixels.
constexpr float kScroll = 60;
constexpr float kLeastNames = 110, kMostNames = 260;
constexpr uint64_t kShortest = 100;  // ns on the axis: closer there is nothing to see

}  // namespace

TraceTimingView::Frame TraceTimingView::frame_of(const Canvas& canvas, const Model& model) {
  Frame frame{canvas, *shown_.trace(), 0, 0, 0, 0, {}, diagrams::TraceRows{}.scaled(canvas.px(1))};
  const auto& trace = frame.trace.row;
  names_ = 0;
  for (const auto& step : frame.trace.steps) {
    const auto& operation = frame.trace.operation(step);
    const float width =
        std::max(text_size(canvas.theme.bold, short_operation(operation.name)).x,
                 text_size(canvas.theme.small, model.name_of(operation.component)).x);
    names_ = std::max(names_, width);
    if (names_ > canvas.px(kMostNames)) break;
  }
  names_ = std::clamp(names_ + canvas.px(28), canvas.px(kLeastNames),
                      std::min(canvas.px(kMostNames), canvas.width() * 0.35f));
  frame.left = canvas.min.x + names_;
  frame.top = canvas.min.y + canvas.px(kTraceBar + kTraceAxis);
  frame.right = canvas.max.x - canvas.px(14);
  frame.bottom = canvas.max.y - canvas.px(8);
  const bool whole = end_ns_ <= start_ns_;
  frame.axis = {whole ? trace.start_ns : start_ns_,
                whole ? std::max(trace.end_ns, trace.start_ns + 1) : end_ns_, frame.left,
                std::max(1.0f, frame.right - frame.left)};
  return frame;
}

void TraceTimingView::start_over(const Model&) {
  drag_.reset();
  start_ns_ = end_ns_ = 0;
}

void TraceTimingView::draw_trace(const Canvas& canvas, Model& model) {
  {
    const Frame before = frame_of(canvas, model);
    layout_ =
        diagrams::lay_out_trace_timing({before.trace.operations, before.trace.steps}, before.axis);
    handle_mouse(before, model);
  }
  const Frame frame = frame_of(canvas, model);
  layout_ = diagrams::lay_out_trace_timing({frame.trace.operations, frame.trace.steps}, frame.axis);
  const float content = float(frame.rows.top(layout_.rows.size()));
  scroll_ = std::clamp(scroll_, 0.0f, std::max(0.0f, content - (frame.bottom - frame.top)));
  draw_axis(frame);
  canvas.list->PushClipRect({canvas.min.x, frame.top}, {canvas.max.x, frame.bottom}, true);
  draw_rows(frame, model);
  canvas.list->PopClipRect();
  canvas.list->PushClipRect({frame.left, frame.top}, {frame.right, frame.bottom}, true);
  draw_calls(frame);
  draw_bars(frame, model);
  canvas.list->PopClipRect();
  if (content > frame.bottom - frame.top + 1) {
    const float height = frame.bottom - frame.top, y = frame.top + height * scroll_ / content;
    canvas.list->AddRectFilled({frame.right + canvas.px(4), y},
                               {frame.right + canvas.px(8), y + height * height / content},
                               canvas.theme.faint, 2);
  }
  draw_trace_notes(canvas, frame.trace, "");
  if (!drag_) draw_hover(frame, model);
}

void TraceTimingView::handle_mouse(const Frame& frame, Model& model) {
  const Canvas& canvas = frame.canvas;
  pointed_bar_.reset();
  pointed_fold_.reset();
  ImGui::SetCursorScreenPos({canvas.min.x, frame.top});
  ImGui::InvisibleButton("plot", {std::max(1.0f, canvas.max.x - canvas.min.x),
                                  std::max(1.0f, frame.bottom - frame.top)});
  const ImGuiIO& io = ImGui::GetIO();
  hovered_ = ImGui::IsItemHovered();
  const auto& trace = frame.trace.row;
  const uint64_t end_ns = std::max(trace.end_ns, trace.start_ns + 1);
  const auto show = [&](const geometry::Axis& axis) {
    start_ns_ = axis.start_ns;
    end_ns_ = axis.end_ns;
  };
  if (hovered_) point(frame, io.MousePos);
  if (hovered_ && io.KeyShift) {
    scroll_ -= io.MouseWheel * canvas.px(kScroll);
  } else if (hovered_ && io.MouseWheel != 0) {
    show(geometry::zoomed(frame.axis, std::pow(kPerNotch, io.MouseWheel), io.MousePos.x,
                          trace.start_ns, end_ns, std::min(kShortest, end_ns - trace.start_ns)));
  }
  if (ImGui::IsItemActivated()) drag_ = Drag{io.MousePos, frame.axis, scroll_, false};
  if (drag_ && ImGui::IsItemActive()) {
    const ImVec2 by{io.MousePos.x - drag_->from.x, io.MousePos.y - drag_->from.y};
    drag_->moved |= std::hypot(by.x, by.y) >= canvas.px(kDragAfter);
    if (drag_->moved) {
      scroll_ = drag_->scroll - by.y;
      show(geometry::panned(drag_->axis, -by.x, trace.start_ns, end_ns));
    }
  }
  if (drag_ && ImGui::IsItemDeactivated()) {
    if (!drag_->moved) click(frame, model);
    drag_.reset();
  }
  if (!hovered_ || !(pointed_bar_ || pointed_fold_)) return;
  ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  if (pointed_bar_ && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left))
    show_on_timeline(model, picked_step(frame.trace, layout_.bars[*pointed_bar_].step));
}

void TraceTimingView::point(const Frame& frame, ImVec2 at) {
  constexpr float kReach = 2;                         // narrow ones are hit nearby too
  for (size_t i = 0; i < layout_.bars.size(); ++i) {  // those inside come later
    ImVec2 min, max;
    bar_rect(frame, layout_.bars[i], min, max);
    if (at.x >= min.x - 1 && at.x <= max.x + 1 && at.y >= min.y && at.y <= max.y) pointed_bar_ = i;
  }
  if (pointed_bar_) return;
  for (size_t i = 0; i < layout_.folds.size(); ++i) {
    const auto& fold = layout_.folds[i];
    const float y = frame.y(frame.rows.top(size_t(fold.row)), scroll_);
    if (at.x >= fold.x0 - kReach && at.x <= fold.x1 + kReach && at.y >= y &&
        at.y <= y + float(frame.rows.height))
      pointed_fold_ = i;
  }
}

void TraceTimingView::click(const Frame& frame, Model& model) {
  if (pointed_fold_) {
    const auto& fold = layout_.folds[*pointed_fold_];
    const uint64_t around = std::max(kShortest, (fold.end_ns - fold.start_ns) / 4);
    start_ns_ = std::max(frame.trace.row.start_ns, fold.start_ns - around);
    end_ns_ = std::min(std::max(frame.trace.row.end_ns, start_ns_ + 1), fold.end_ns + around);
  }
  pick(model, pointed_bar_ ? std::optional(layout_.bars[*pointed_bar_].step) : std::nullopt);
}

void TraceTimingView::show_all() {
  start_ns_ = end_ns_ = 0;
  scroll_ = 0;
}

}  // namespace compmond::ui
