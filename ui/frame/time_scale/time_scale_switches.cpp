// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "text/numbers.h"
#include "ui/frame/time_scale/time_scale.h"
#include "ui/kit/draw.h"
#include "ui/model/run_time.h"
#include "ui/model/switching.h"

namespace compmond::ui {
namespace {

constexpr float kLane = 14;                        // design pixels
constexpr float kMarkHalf = 4, kBetweenMarks = 3;  // likewise
constexpr size_t kTold = 8;                        // of those that one mark stands for
constexpr float kOffGround = 0.2f;

using Switch = snapshot::Health::Switch;

// Switches so close to each other that one mark stands for them.
struct SwitchMark {
  std::vector<const Switch*> all;
  float x;      // of the first
  float right;  // where what is drawn ends

  std::string count() const { return all.size() > 1 ? text::count(all.size()) : std::string(); }
};

std::vector<SwitchMark> switch_marks(const std::vector<Switch>& switches, const Theme& theme,
                                     const geometry::Axis& axis, float left, float right) {
  std::vector<SwitchMark> out;
  for (const Switch& one : switches) {
    const auto x = float(axis.px(one.at_ns));
    if (x < left || x > right) continue;
    if (out.empty() || x - theme.px(kMarkHalf + kBetweenMarks) > out.back().right) {
      out.push_back({{&one}, x, x + theme.px(kMarkHalf)});
      continue;
    }
    SwitchMark& mark = out.back();
    mark.all.push_back(&one);
    mark.right =
        std::max(x, mark.x + theme.px(kMarkHalf + 2) + text_size(theme.small, mark.count()).x);
  }
  return out;
}

void switches_tooltip(const Theme& theme, const Model& model, const SwitchMark& mark) {
  constexpr double kTenth = 1e8;  // ns
  std::string text;
  for (size_t i = 0; i < std::min(mark.all.size(), kTold); ++i)
    text += fmt::format("{}{}: {}", i ? "\n" : "", moment_text(model, mark.all[i]->at_ns, kTenth),
                        switch_text(*mark.all[i]));
  if (mark.all.size() > kTold) text += fmt::format("\nand {} more", mark.all.size() - kTold);
  tooltip(theme, mark.all.size() > 1 ? text::counted(mark.all.size(), "switch", "switches") : "",
          text, "Health (H) lists the newest.");
}

}  // namespace

float switch_lane(const Model& model) {
  return model.snapshot && !model.snapshot->health.switches.empty() ? kLane : 0;
}

// Nothing there because nobody looked; of a row for several, at any of them.
void TimeScale::draw_off(const Canvas& canvas, const Geometry& at, const geometry::Axis& axis,
                         const Model& model) const {
  if (switch_lane(model) == 0) return;
  const auto x = [&](uint64_t ns) { return std::clamp(float(axis.px(ns)), at.left, at.right); };
  const float height = (at.bottom - at.top) / float(rows_.rows.size());
  for (size_t row = 0; row < rows_.rows.size(); ++row) {
    const auto& members = rows_.rows[row].members;
    const snapshot::Component* one =
        members.size() == 1 ? model.component(model.strip->components[members.front()]) : nullptr;
    const float y = at.top + height * float(row);
    for (const Window& span : off_spans(model, one))
      canvas.list->AddRectFilled({x(span.start_ns), y}, {x(span.end_ns), y + height},
                                 with_alpha(canvas.theme.faint, kOffGround));
  }
}

// Above the rows: down where something was switched off, up where it was switched on.
void TimeScale::draw_switches(const Canvas& canvas, const Geometry& at, const geometry::Axis& axis,
                              const Model& model) const {
  if (switch_lane(model) == 0) return;
  const Theme& theme = canvas.theme;
  const float top = at.top - canvas.px(kLane + 2), y = top + canvas.px(5),
              half = canvas.px(kMarkHalf);
  draw_text(canvas.list, theme.small, {at.label_left, y - theme.small->FontSize / 2}, theme.dim,
            "switched");
  for (const SwitchMark& mark :
       switch_marks(model.snapshot->health.switches, theme, axis, at.left, at.right)) {
    const float tip = mark.all.back()->on ? -half : half;
    canvas.list->AddTriangleFilled({mark.x - half, y - tip * 0.8f}, {mark.x + half, y - tip * 0.8f},
                                   {mark.x, y + tip * 0.8f}, theme.text);
    draw_dashed(canvas.list, {mark.x, at.top}, {mark.x, at.bottom}, theme.dim, canvas.px(1),
                canvas.px(3));
    if (mark.all.size() > 1)
      draw_text(canvas.list, theme.small,
                {mark.x + half + canvas.px(2), y - theme.small->FontSize / 2}, theme.text,
                mark.count());
    if (ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect({mark.x - half - canvas.px(2), top},
                                                               {mark.right + canvas.px(2), at.top}))
      switches_tooltip(theme, model, mark);
  }
}

}  // namespace compmond::ui
