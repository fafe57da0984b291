// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "ui/kit/pan_zoom.h"
#include "ui/model/inside_link.h"
#include "ui/views/timing/timing.h"

namespace compmond::ui {
namespace {

constexpr float kScrollNotch = 90;     // design pixels sideways per notch
constexpr uint64_t kShortest = 1'000;  // ns: closer there is nothing to see

}  // namespace

void TimingView::handle_mouse(TimingFrame& frame, Model& model) {
  const Canvas& canvas = frame.canvas;
  ImGui::SetCursorScreenPos({canvas.min.x, frame.top});
  ImGui::InvisibleButton("plot", {std::max(1.0f, frame.right - canvas.min.x),
                                  std::max(1.0f, frame.bottom - frame.top)});
  const ImGuiIO& io = ImGui::GetIO();
  const bool hovered = ImGui::IsItemHovered();
  if (hovered && !drag_) {
    hover(frame, io.MousePos);
    frame.hovered_time = !frame.hovered_bar && !frame.hovered_fold;
  }
  if (hovered && (io.MouseWheelH != 0 || (io.KeyShift && io.MouseWheel != 0))) {
    scroll_ -= (io.MouseWheelH + (io.KeyShift ? io.MouseWheel : 0)) * canvas.px(kScrollNotch);
  } else if (hovered && io.MouseWheel != 0) {
    const double factor = std::pow(kPerNotch, io.MouseWheel);
    if (model.window.live) {
      scale_window(model, 1 / factor);
    } else {
      const geometry::Axis axis = geometry::zoomed(axis_, factor, io.MousePos.y, model.run.start_ns,
                                                   model.now_ns(), kShortest);
      set_window(model, axis.start_ns, axis.end_ns);
    }
  }
  if (ImGui::IsItemActivated())
    drag_ = Drag{io.MousePos, axis_.start_ns, axis_.end_ns, scroll_, false};
  if (drag_ && ImGui::IsItemActive()) drag(frame, model);
  if (drag_ && ImGui::IsItemDeactivated()) {
    if (!drag_->moved) {
      hover(frame, io.MousePos);
      click(frame, model);
    }
    drag_.reset();
  }
  if (hovered && frame.hovered_bar && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
    drag_.reset();
    const PickedExecution of = picked(frame.view, layout_.bars[*frame.hovered_bar].execution);
    show_inside(model, of.component, of.operation);
  }
  if (frame.hovered_bar || frame.hovered_fold) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
}

void TimingView::hover(TimingFrame& frame, ImVec2 mouse) const {
  constexpr double kReach = 1.5;  // thin ones are hit nearby too
  // Those drawn last lie on top.
  for (size_t i = layout_.folds.size(); i-- > 0 && !frame.hovered_fold;) {
    const auto& f = layout_.folds[i];
    if (mouse.x >= f.x0 && mouse.x <= f.x1 && mouse.y >= f.y0 - kReach && mouse.y <= f.y1 + kReach)
      frame.hovered_fold = uint32_t(i);
  }
  if (frame.hovered_fold) return;
  const diagrams::TimingBar* deepest = nullptr;
  for (const auto& bar : layout_.bars)
    if (mouse.x >= bar.x0 && mouse.x <= bar.x1 && mouse.y >= bar.y0 && mouse.y <= bar.y1 &&
        (!deepest || bar.depth >= deepest->depth))
      deepest = &bar;
  if (deepest) frame.hovered_bar = uint32_t(deepest - layout_.bars.data());
}

void TimingView::drag(const TimingFrame& frame, Model& model) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const float dx = mouse.x - drag_->from.x, dy = mouse.y - drag_->from.y;
  if (!drag_->moved && std::hypot(dx, dy) < frame.canvas.px(kDragAfter)) return;
  drag_->moved = true;
  scroll_ = drag_->scroll - dx;
  // Sideways alone is looking at other components, not at another time.
  if (model.window.live && std::abs(dy) < frame.canvas.px(kDragAfter)) return;
  geometry::Axis grabbed = axis_;
  grabbed.start_ns = drag_->start_ns;
  grabbed.end_ns = drag_->end_ns;
  const geometry::Axis axis = geometry::panned(grabbed, -dy, model.run.start_ns, model.now_ns());
  set_window(model, axis.start_ns, axis.end_ns);
}

void TimingView::click(const TimingFrame& frame, Model& model) {
  model.selection = {};
  if (frame.hovered_fold) return zoom_to_fold(frame, model);
  if (!frame.hovered_bar) return;
  // What was picked shall not run away.
  pause(model);
  model.selection.execution = picked(frame.view, layout_.bars[*frame.hovered_bar].execution);
  model.selection.component = model.selection.execution->component;
  model.selection.operation = model.selection.execution->operation;
}

void TimingView::zoom_to_fold(const TimingFrame& frame, Model& model) const {
  const auto& fold = layout_.folds[*frame.hovered_fold];
  // At least ten times closer, and so that a single one becomes a fair bar.
  const uint64_t own = fold.end_ns - fold.start_ns;
  const uint64_t length = std::max(kShortest, std::min((axis_.end_ns - axis_.start_ns) / 10,
                                                       std::max<uint64_t>(own * 4, kShortest)));
  const uint64_t middle = fold.start_ns + own / 2;
  set_window(model, middle - std::min(middle, length / 2), middle + length / 2);
}

}  // namespace compmond::ui
