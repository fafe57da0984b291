// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "text/numbers.h"
#include "ui/kit/chip.h"
#include "ui/kit/draw.h"
#include "ui/kit/names.h"
#include "ui/model/run_time.h"
#include "ui/views/timing/timing.h"

namespace compmond::ui {
namespace {

std::string range_text(const Model& model, double ns_per_px) {
  constexpr double kSteps = 100;
  const Window shown = model.interval();
  // In the same decimals: no end beyond the whole.
  return fmt::format(
      "{} of {}   1 px = {}", span_text(model, shown, kSteps),
      moment_text(model, std::max(model.now_ns(), shown.end_ns), double(shown.length()) / kSteps),
      text::duration(ns_per_px));
}

}  // namespace

void TimingView::draw_controls(const Canvas& canvas, const Place& place, Model& model) {
  const Theme& theme = canvas.theme;
  const float top = canvas.min.y + canvas.px(9), bottom = top + canvas.px(24);
  float x = canvas.min.x + canvas.px(14);
  const auto chip = [&](const char* label, float width, bool on) {
    const ImVec2 min{x, top}, max{x + canvas.px(width), bottom};
    x = max.x + canvas.px(6);
    return button(theme, label, min, max, on ? Look::kFilled : Look::kPlain);
  };
  if (chip("follow##timing", 62, model.window.live && model.moves()))
    model.window.live ? pause(model) : go_live(model);
  if (ImGui::IsItemHovered()) tooltip(theme, "follow (L)", "the window ends now and moves on");
  if (chip("calls##timing", 52, kCallArrows.on(model))) kCallArrows.flip(model);
  if (ImGui::IsItemHovered())
    tooltip(theme, "calls (C)", "an arrow for each call, a dashed one for its return");
  const ImVec2 min{x, top}, max{x + canvas.px(150), bottom};
  draw_thread_menu(canvas, min, max, model);
  const float left = max.x + canvas.px(16);
  if (place.panel - left < canvas.px(120)) return;
  draw_text(canvas.list, theme.body, {left, top + (bottom - top - theme.body->FontSize) / 2},
            theme.dim, range_text(model, axis_.ns_per_px()), place.panel - left - canvas.px(8));
}

void TimingView::draw_thread_menu(const Canvas& canvas, ImVec2 min, ImVec2 max,
                                  const Model& model) {
  std::string label = "all threads";
  for (const auto& thread : model.snapshot->threads)
    if (thread.tid == thread_) label = thread_name(thread.name, thread.tid);
  label = ellipsized(canvas.theme.body, label, max.x - min.x - canvas.px(40)) + "##threads";
  if (button(canvas.theme, label.c_str(), min, max, Look::kPlain)) ImGui::OpenPopup("threads");
  const float x = max.x - canvas.px(14), y = (min.y + max.y) / 2, half = canvas.px(3.5f);
  canvas.list->AddTriangleFilled({x - half, y - half / 2}, {x + half, y - half / 2}, {x, y + half},
                                 canvas.theme.dim);
  ImGui::SetNextWindowPos({min.x, max.y + canvas.px(4)});
  ImGui::SetNextWindowSizeConstraints({canvas.px(220), 0}, {canvas.px(420), canvas.px(360)});
  if (!begin_list("threads")) return;
  if (ImGui::Selectable("all threads", thread_ < 0)) thread_ = -1;
  for (const auto& thread : model.snapshot->threads) {
    const std::string line =
        fmt::format("{}  ·  {} calls##{}", thread_name(thread.name, thread.tid),
                    text::count(thread.calls), thread.tid);
    if (ImGui::Selectable(line.c_str(), thread.tid == thread_)) thread_ = thread.tid;
  }
  ImGui::EndPopup();
}

}  // namespace compmond::ui
