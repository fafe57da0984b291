// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "text/clean.h"
#include "text/numbers.h"
#include "ui/frame/time_scale/time_scale.h"
#include "ui/kit/draw.h"
#include "ui/kit/pan_zoom.h"
#include "ui/model/run_time.h"

namespace compmond::ui {
namespace {

constexpr uint64_t kShortestSpan =
    10'000;  // ns: below it a column is shorter than the clock's grain

}  // namespace

TimeScale::Grip TimeScale::grip_at(float x, const Theme& theme, const geometry::Axis& axis,
                                   const Model& model) const {
  const Window window = model.interval();
  const auto from = float(axis.px(window.start_ns)), to = float(axis.px(window.end_ns));
  // Of a window narrower than its handles only the outer halves resize.
  const float reach = theme.px(6), inner = std::min(reach, (to - from) / 4);
  if (x >= from - reach && x <= from + inner) return Grip::kStart;
  if (x >= to - inner && x <= to + reach) return Grip::kEnd;
  return Grip::kMove;
}

void TimeScale::handle_mouse(const Canvas& canvas, const Geometry& at, const geometry::Axis& axis,
                             Model& model) {
  const float top = canvas.min.y + canvas.px(3);
  ImGui::SetCursorScreenPos({at.left, top});
  ImGui::InvisibleButton("plot", {at.right - at.left, canvas.max.y - top},
                         ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight);
  const bool hovered = ImGui::IsItemHovered();
  const ImGuiIO& io = ImGui::GetIO();
  const float x = io.MousePos.x;
  if (ImGui::IsItemActivated()) {
    const Window window = model.interval();
    if (!ImGui::IsMouseDoubleClicked(0)) touched_ = model.window;
    grip_ = ImGui::IsMouseDown(1) ? Grip::kPan : grip_at(x, canvas.theme, axis, model);
    const double pointed = double(axis.ns(x));
    const bool on_window = x >= axis.px(window.start_ns) && x <= axis.px(window.end_ns);
    if (grip_ == Grip::kMove)  // a click beside the window puts its middle there
      grabbed_ns_ = on_window ? pointed - double(window.start_ns) : double(window.length()) / 2;
    else
      grabbed_ns_ = pointed - double(grip_ == Grip::kEnd ? window.end_ns : window.start_ns);
    dragged_ = false;
    pause(model);  // whoever touches it wants it to hold still
    if (grip_ == Grip::kMove && !on_window) drag(axis, model);
  }
  if (ImGui::IsItemActive() && (io.MouseDelta.x != 0 || io.MouseDelta.y != 0)) {
    drag(axis, model);
    dragged_ = true;
  }
  if (ImGui::IsItemDeactivated()) {
    // Dropped at now: it shall follow.
    const double to_now = axis.px(model.known_ns()) - axis.px(model.window.end_ns);
    if (dragged_ && grip_ == Grip::kMove && !model.window.live && model.moves() &&
        to_now < canvas.px(4))
      go_live(model);
    grip_ = Grip::kNone;
  }
  if (hovered && ImGui::IsMouseDoubleClicked(0)) {
    whole_ = !whole_;
    span_ns_ = 0;
    model.window = touched_;  // it only shows: what its clicks did to the window is taken back
    grip_ = Grip::kNone;
  }
  if (hovered && (io.MouseWheel != 0 || io.MouseWheelH != 0)) {
    const uint64_t now = std::max(model.now_ns(), axis.end_ns);
    const geometry::Axis moved =
        io.MouseWheel != 0
            ? geometry::zoomed(axis, std::pow(kPerNotch, io.MouseWheel), x, model.run.start_ns, now,
                               kShortestSpan)
            : geometry::panned(axis, io.MouseWheelH * canvas.px(60), model.run.start_ns, now);
    whole_ = false;
    span_ns_ = moved.end_ns - moved.start_ns;
    if (!model.window.live) start_ns_ = moved.start_ns;
  }
  if (hovered && !ImGui::IsItemActive()) hover_cell(canvas, at, axis, model);
  const Grip grip = grip_ != Grip::kNone ? grip_ : grip_at(x, canvas.theme, axis, model);
  if ((hovered || ImGui::IsItemActive()) && grip != Grip::kMove && grip != Grip::kPan)
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
}

void TimeScale::drag(const geometry::Axis& axis, Model& model) {
  const double pointed = double(axis.ns(ImGui::GetIO().MousePos.x));
  const Window window = model.interval();
  const auto at = uint64_t(std::max(0.0, pointed - grabbed_ns_));
  // The part of the run that there is; the model keeps the window inside it.
  const uint64_t now = model.now_ns(), start = model.run.start_ns;
  if (grip_ == Grip::kMove) {
    const uint64_t length = std::min(window.length(), now - start);
    const uint64_t from = std::clamp(at, start, now - length);
    set_window(model, from, from + length);
  } else if (grip_ == Grip::kStart) {
    set_window(model, std::clamp(at, start, window.end_ns), window.end_ns);
  } else if (grip_ == Grip::kEnd) {
    set_window(model, window.start_ns, std::clamp(at, window.start_ns, now));
  } else if (grip_ == Grip::kPan && !whole_) {
    pause(model);
    const geometry::Axis moved = geometry::panned(axis, -double(ImGui::GetIO().MouseDelta.x), start,
                                                  std::max(now, axis.end_ns));
    span_ns_ = moved.end_ns - moved.start_ns;
    start_ns_ = moved.start_ns;
  }
}

void TimeScale::hover_cell(const Canvas& canvas, const Geometry& at, const geometry::Axis& axis,
                           const Model& model) const {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (!model.strip || rows_.rows.empty() || mouse.y < at.top || mouse.y >= at.bottom) return;
  const auto& strip = *model.strip;
  const uint64_t moment = axis.ns(mouse.x);
  if (moment < strip.start_ns || moment >= strip.end_ns || moment > model.now_ns()) return;
  if (moment > model.known_ns())
    return tooltip(canvas.theme, "not known yet",
                   "Samples of the newest second or so are not counted yet.");
  const double column_ns = double(strip.end_ns - strip.start_ns) / strip.columns;
  const auto column = size_t(double(moment - strip.start_ns) / column_ns);
  const auto row = size_t((mouse.y - at.top) / (at.bottom - at.top) * float(rows_.rows.size()));
  if (row >= rows_.rows.size() || column >= rows_.rows[row].real_ns.size()) return;
  const auto& members = rows_.rows[row].members;
  const auto value = [&](size_t member) { return strip.real_ns[member][column]; };
  const size_t busiest = *std::max_element(members.begin(), members.end(),
                                           [&](size_t a, size_t b) { return value(a) < value(b); });
  const uint64_t from = strip.start_ns + uint64_t(column_ns * double(column));
  std::string text =
      fmt::format("{} of real time in the {} from {}", text::duration(double(value(busiest))),
                  text::duration(column_ns), moment_text(model, from, column_ns));
  if (column < strip.lost.size() && strip.lost[column] > 0)
    text += fmt::format("\n{} records were lost here: figures are too small",
                        text::count(strip.lost[column]));
  text += violations_text(model, uint32_t(column > 0 ? column - 1 : 0), uint32_t(column + 1));
  tooltip(
      canvas.theme, text::clean(strip.components[busiest]), text,
      "Drag moves the window, its edges resize it. Wheel zooms, double click shows the whole run.");
}

}  // namespace compmond::ui
