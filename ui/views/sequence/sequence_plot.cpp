// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "text/numbers.h"
#include "ui/kit/draw.h"
#include "ui/views/sequence/sequence.h"
#include "ui/views/shared/heat.h"
#include "ui/views/shared/operation_name.h"

namespace compmond::ui {
namespace {

constexpr float kLabelsFrom = 0.6f;  // zoom below which letters would stand on each other

}  // namespace

void SequenceView::draw_times(const Frame& frame, float bottom) const {
  const Theme& theme = frame.canvas.theme;
  const float line = theme.mono_small->FontSize;
  float last = -1e9f;
  for (const auto& message : layout_.messages) {
    const float y = frame.y(message.y);
    if (message.returns || y - line < frame.top || y + line > bottom || y < last + line) continue;
    last = y;
    const auto& step = frame.trace.steps[message.step];
    const double since = shown_.since_start(step.start_ns);
    draw_text_right(frame.canvas.list, theme.mono_small,
                    {frame.left - frame.canvas.px(10), y - line / 2 - 1}, theme.dim,
                    since > 0 ? "+" + text::duration(since) : std::string("0"));
  }
}

void SequenceView::draw_lifelines(const Frame& frame) const {
  const float end = std::min(frame.bottom, frame.y(layout_.height));
  for (size_t i = 0; i < layout_.lifelines.size(); ++i) {
    const float x = std::round(frame.x(layout_.line_x(int(i))));
    if (x < frame.left || x > frame.right) continue;
    draw_dashed(frame.canvas.list, {x, frame.top}, {x, end},
                with_alpha(frame.canvas.theme.faint, 0.8f), frame.canvas.px(1), frame.canvas.px(4));
  }
}

void SequenceView::draw_loops(const Frame& frame) const {
  const Theme& theme = frame.canvas.theme;
  ImDrawList* list = frame.canvas.list;
  for (const auto& loop : layout_.loops) {
    if (!frame.sees(loop.y0, loop.y1)) continue;
    const geometry::Rect box = layout_.box(loop);
    const ImVec2 min{frame.x(box.x0), std::max(frame.y(box.y0), frame.top - 8)},
        max{frame.x(box.x1), std::min(frame.y(box.y1), frame.bottom + 8)};
    list->AddRectFilled(min, max, with_alpha(theme.blue, 0.05f), frame.canvas.px(3));
    list->AddRect(min, max, with_alpha(theme.blue, 0.55f), frame.canvas.px(3));
    if (zoom_ < kLabelsFrom || frame.y(loop.y0) < frame.top - 8) continue;
    const float room = max.x - min.x - frame.canvas.px(10);
    std::string text = fmt::format("{} times", text::count(loop.count));
    for (const std::string& more :
         {fmt::format(" · {} together", text::duration(double(loop.raw_ns))),
          fmt::format(" · {} to {} each", text::duration(double(loop.min_ns)),
                      text::duration(double(loop.max_ns)))})
      if (text_size(theme.small, text + more).x <= room) text += more;
    draw_text(list, theme.small, {min.x + frame.canvas.px(5), min.y + 1}, theme.blue_text, text);
  }
}

void SequenceView::draw_activations(const Frame& frame, const Model& model) const {
  const Theme& theme = frame.canvas.theme;
  ImDrawList* list = frame.canvas.list;
  const ImU32 hue = full_hue(theme, model.settings);
  const uint64_t whole = frame.trace.row.end_ns - frame.trace.row.start_ns;
  for (const auto& activation : layout_.activations) {
    if (!frame.sees(activation.y0, activation.y1)) continue;
    const auto& step = frame.trace.steps[activation.step];
    const geometry::Rect box = layout_.box(activation);
    const ImVec2 min{frame.x(box.x0), std::max(frame.y(box.y0), frame.top - 10)},
        max{frame.x(box.x1), std::min(frame.y(box.y1), frame.bottom + 10)};
    const double share = diagrams::own_share(step.net_real_ns(), whole);
    list->AddRectFilled(min, max, mix(theme.bar, hue, float(share)), frame.canvas.px(1));
    if (step.failed)
      draw_hatch(list, {min.x, std::max(min.y, max.y - frame.canvas.px(12))}, max, theme.red,
                 frame.canvas.px(5));
    const bool picked = picked_ == activation.step, pointed = pointed_ == activation.step;
    list->AddRect(min, max, picked || pointed ? theme.blue : theme.bar_line, frame.canvas.px(1), 0,
                  frame.canvas.px(picked ? 2 : 1));
  }
}

void SequenceView::draw_label(const Frame& frame, const diagrams::SequenceMessage& message) const {
  const Theme& theme = frame.canvas.theme;
  const auto& step = frame.trace.steps[message.step];
  const std::string name = short_operation(frame.trace.operation(step).name);
  const std::string time = text::duration(double(step.end_ns - step.start_ns));
  const float y = frame.y(message.y) - theme.small->FontSize - frame.canvas.px(2);
  const auto room = layout_.label(message);
  const float left = frame.x(room.x), length = float(room.width) * frame.unit;
  if (length < frame.canvas.px(24)) return;
  const float time_width = text_size(theme.mono_small, time).x + frame.canvas.px(6);
  const float name_width = text_size(theme.small, name).x;
  const bool both = name_width + time_width <= length;
  const ImU32 ink = step.failed                ? theme.red
                    : pointed_ == message.step ? theme.blue_text
                                               : theme.text;
  draw_text(frame.canvas.list, theme.small, {left, y}, ink, name, both ? 0 : length);
  if (both)
    draw_text(frame.canvas.list, theme.mono_small, {left + name_width + frame.canvas.px(6), y},
              theme.dim, time);
}

void SequenceView::draw_messages(const Frame& frame) const {
  const Theme& theme = frame.canvas.theme;
  ImDrawList* list = frame.canvas.list;
  const auto first =
      std::ranges::lower_bound(layout_.messages, frame.top - 60 * frame.unit, {},
                               [&](const diagrams::SequenceMessage& m) { return frame.y(m.y); });
  for (auto next = first; next != layout_.messages.end(); ++next) {
    const diagrams::SequenceMessage& m = *next;
    const float y = std::round(frame.y(m.y));
    if (y > frame.bottom + 40 * frame.unit) break;
    const bool marked = pointed_ == m.step || picked_ == m.step;
    const ImU32 colour = marked ? theme.blue : with_alpha(theme.text, m.returns ? 0.5f : 0.85f);
    const float width = frame.canvas.px(marked ? 1.6f : 1);
    std::vector<ImVec2> path;
    for (const geometry::Pt& at : layout_.path(m))
      path.push_back({frame.x(at.x), y + float(at.y - m.y) * frame.unit});
    if (m.returns && path.size() == 2)
      draw_dashed(list, path[0], path[1], colour, width, frame.canvas.px(4));
    else
      for (size_t i = 1; i < path.size(); ++i) list->AddLine(path[i - 1], path[i], colour, width);
    const ImVec2 tip = path.back();
    const double right = tip.x > path[path.size() - 2].x ? 1 : -1, head = 6 * frame.unit;
    draw_head(list, geometry::arrow_head({{tip.x, tip.y}, {right, 0}}, head, head / 2), colour);
    if (!m.returns && zoom_ >= kLabelsFrom) draw_label(frame, m);
  }
}

void SequenceView::draw_scrollbars(const Frame& frame) const {
  const Theme& theme = frame.canvas.theme;
  ImDrawList* list = frame.canvas.list;
  const ImVec2 size = content(frame);
  const float room = frame.right - frame.left, height = frame.bottom - frame.top;
  const float thick = frame.canvas.px(4);
  if (size.x > room + 1) {
    const float x = frame.left + room * scroll_.x / size.x;
    list->AddRectFilled({x, frame.bottom}, {x + room * room / size.x, frame.bottom + thick},
                        theme.faint, 2);
  }
  if (size.y > height + 1) {
    const float y = frame.top + height * scroll_.y / size.y;
    list->AddRectFilled({frame.right, y}, {frame.right + thick, y + height * height / size.y},
                        theme.faint, 2);
  }
}

}  // namespace compmond::ui
