// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "text/numbers.h"
#include "ui/frame/time_scale/time_scale.h"
#include "ui/kit/draw.h"
#include "ui/model/run_time.h"

namespace compmond::ui {

void TimeScale::draw_axis(const Canvas& canvas, const Geometry& at, const geometry::Axis& axis,
                          const Model& model) const {
  const Theme& theme = canvas.theme;
  const uint64_t step = geometry::tick_step(axis, canvas.px(72));
  float free = at.left - canvas.px(20);
  for (const uint64_t tick : geometry::ticks(axis, step, model.run.start_ns)) {
    if (tick < model.run.start_ns) continue;
    const auto x = float(axis.px(tick));
    canvas.list->AddLine({x, at.bottom}, {x, at.bottom + canvas.px(4)}, theme.faint);
    const std::string text = moment_text(model, tick, double(step));
    const float width = text_size(theme.mono_small, text).x;
    if (x - width / 2 < free || x + width / 2 > canvas.max.x - canvas.px(2)) continue;
    draw_text(canvas.list, theme.mono_small, {x - width / 2, at.bottom + canvas.px(6)}, theme.dim,
              text);
    free = x + width / 2 + canvas.px(8);
  }
  const std::string whole = text::duration(since_start(model, model.now_ns()));
  const Window shown = range(model);
  // Of the run: beyond now there is room, and nothing else.
  const uint64_t seen =
      std::max(shown.start_ns, std::min(shown.end_ns, model.now_ns())) - shown.start_ns;
  const std::string text = shown.start_ns == model.run.start_ns
                               ? "time since start"
                               : fmt::format("{} of {}", text::duration(double(seen)), whole);
  draw_text(canvas.list, theme.small, {at.label_left, canvas.min.y + canvas.px(7)}, theme.dim, text,
            at.left - at.label_left + canvas.px(60));
}

void TimeScale::draw_window(const Canvas& canvas, const Geometry& at, const geometry::Axis& axis,
                            const Model& model) const {
  const Theme& theme = canvas.theme;
  const Window window = model.interval();
  const auto clamped = [&](uint64_t ns) {
    return std::clamp(float(axis.px(ns)), at.left, at.right);
  };
  const float from = clamped(window.start_ns),
              to = std::max(clamped(window.end_ns), from + canvas.px(2));
  const float top = at.top - canvas.px(3), bottom = at.bottom + canvas.px(2);
  canvas.list->AddRect({from, top}, {to, bottom}, theme.blue, canvas.px(3), 0, canvas.px(1.3f));
  const float middle = (at.top + at.bottom) / 2,
              half = std::min(canvas.px(14), (at.bottom - at.top) / 3);
  for (const float x : {from, to})
    canvas.list->AddRectFilled({x - canvas.px(2.5f), middle - half},
                               {x + canvas.px(2.5f), middle + half}, theme.blue, canvas.px(2));

  const float label_y = canvas.min.y + canvas.px(6);
  float free_right = at.right;
  const auto now = float(axis.px(model.now_ns()));
  if (now <= at.right) {
    const ImU32 colour = model.frozen() ? theme.amber : model.run.live ? theme.green : theme.dim;
    canvas.list->AddLine({now, top}, {now, bottom}, colour, canvas.px(1.5f));
    const char* text = model.frozen() ? "last answer" : model.run.live ? "now" : "end";
    const float width = text_size(theme.small, text).x;
    const float x = std::min(std::max(now - width / 2, at.left), at.right - width);
    draw_text(canvas.list, theme.small, {x, label_y}, colour, text);
    free_right = x - canvas.px(10);
  }
  const std::string length = text::duration(double(window.length()));
  const std::string text =
      model.window.live
          ? fmt::format("window {} ({})", length,
                        model.frozen()                      ? "frozen"
                        : !model.run.live                   ? "to the end"
                        : model.known_ns() < model.now_ns() ? "follows samples"
                                                            : "follows")
          : fmt::format("window {} at {}", length,
                        moment_text(model, window.start_ns, double(window.length()) / 100));
  const float width = text_size(theme.small, text).x;
  const float least = at.left + canvas.px(66);
  const float x = std::max(least, std::min((from + to - width) / 2, free_right - width));
  if (x + width <= free_right + 1)
    draw_text(canvas.list, theme.small, {x, label_y}, theme.blue_text, text);
}

void TimeScale::draw_buttons(const Canvas& canvas, const Geometry& at, Model& model) {
  const Theme& theme = canvas.theme;
  const float top = canvas.max.y - canvas.px(kTimeAxis), bottom = canvas.max.y - canvas.px(4);
  const float width = std::min(canvas.px(50), (at.left - at.label_left - canvas.px(18)) / 2);
  const ImVec2 live_min{at.label_left, top}, live_max{at.label_left + width, bottom};
  ImGui::SetCursorScreenPos(live_min);
  if (ImGui::InvisibleButton("live", {live_max.x - live_min.x, live_max.y - live_min.y}))
    go_live(model);
  const bool on = model.window.live && model.moves();
  const bool hovered = ImGui::IsItemHovered();
  canvas.list->AddRectFilled(live_min, live_max, on ? from_rgb(0x1a6b34) : theme.raised,
                             canvas.px(5));
  if (!on || hovered)
    canvas.list->AddRect(live_min, live_max, hovered ? theme.green : theme.line, canvas.px(5));
  const ImU32 ink = on ? from_rgb(0xffffff) : theme.dim;
  const float middle = (top + bottom) / 2, text = text_size(theme.small, "live").x;
  const float x = (live_min.x + live_max.x - text - canvas.px(10)) / 2;
  canvas.list->AddCircleFilled({x + canvas.px(3), middle}, canvas.px(3), ink);
  draw_text(canvas.list, theme.small, {x + canvas.px(10), middle - theme.small->FontSize / 2}, ink,
            "live");
  if (hovered)
    tooltip(theme, "live (L)",
            model.frozen() ? "No connection: nothing moves." : "The window follows now.");

  const ImVec2 pause_min{live_max.x + canvas.px(4), top},
      pause_max{live_max.x + canvas.px(4) + width, bottom};
  ImGui::SetCursorScreenPos(pause_min);
  if (ImGui::InvisibleButton("pause", {width, bottom - top}))
    model.window.live ? pause(model) : go_live(model);
  const bool paused = !model.window.live;
  canvas.list->AddRectFilled(pause_min, pause_max, paused ? theme.blue_fill : theme.raised,
                             canvas.px(5));
  if (!paused)
    canvas.list->AddRect(pause_min, pause_max, ImGui::IsItemHovered() ? theme.blue : theme.line,
                         canvas.px(5));
  draw_text_centred(canvas.list, theme.small, {(pause_min.x + pause_max.x) / 2, middle},
                    paused ? theme.on_blue : theme.dim, paused ? "paused" : "pause");
  if (ImGui::IsItemHovered())
    tooltip(theme, "pause (space)", "The window stands still while observation goes on.");
}

}  // namespace compmond::ui
