// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ui/kit/draw.h"
#include "ui/kit/format.h"
#include "ui/views/sequence/sequence.h"
#include "ui/views/shared/heat.h"
#include "ui/views/shared/operation_name.h"

namespace compmond::ui {
namespace {

constexpr float kLabelsFrom = 0.6f;  // zoom below which letters would stand on each other

void draw_head(ImDrawList* list, ImVec2 at, bool to_right, float size, ImU32 colour) {
  const float back = to_right ? -size : size;
  list->AddTriangleFilled(at, {at.x + back, at.y - size * 0.5f}, {at.x + back, at.y + size * 0.5f},
                          colour);
}

}  // namespace

void SequenceView::draw_times(const Frame& frame) const {
  const Theme& theme = frame.canvas.theme;
  const float line = theme.mono_small->FontSize;
  float last = -1e9f;
  for (const auto& message : layout_.messages) {
    const float y = frame.y(message.y);
    if (message.returns || y - line < frame.top || y > frame.bottom || y < last + line) continue;
    last = y;
    const auto& step = frame.view.steps[message.step];
    const double since = shown_.since_start(step.start_ns);
    draw_text_right(frame.canvas.list, theme.mono_small,
                    {frame.left - frame.canvas.px(10), y - line / 2 - 1}, theme.dim,
                    since > 0 ? "+" + duration_text(since) : std::string("0"));
  }
}

void SequenceView::draw_lifelines(const Frame& frame) const {
  const float end = std::min(frame.bottom, frame.y(layout_.height));
  for (size_t i = 0; i < layout_.lifelines.size(); ++i) {
    const float x = std::round(frame.line_x(int(i)));
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
    const float inset = 5 * frame.unit * float(loop.nesting);
    const ImVec2 min{frame.line_x(loop.first) - frame.column * 0.46f + inset,
                     std::max(frame.y(loop.y0) + 2 * frame.unit, frame.top - 8)},
        max{frame.line_x(loop.last) + frame.column * 0.46f - inset,
            std::min(frame.y(loop.y1), frame.bottom + 8)};
    list->AddRectFilled(min, max, with_alpha(theme.blue, 0.05f), frame.canvas.px(3));
    list->AddRect(min, max, with_alpha(theme.blue, 0.55f), frame.canvas.px(3));
    if (zoom_ < kLabelsFrom || frame.y(loop.y0) < frame.top - 8) continue;
    const float room = max.x - min.x - frame.canvas.px(10);
    std::string text = fmt::format("{} times", count_text(loop.count));
    for (const std::string& more :
         {fmt::format(" · {} together", duration_text(double(loop.raw_ns))),
          fmt::format(" · {} to {} each", duration_text(double(loop.min_ns)),
                      duration_text(double(loop.max_ns)))})
      if (text_size(theme.small, text + more).x <= room) text += more;
    draw_text(list, theme.small, {min.x + frame.canvas.px(5), min.y + 1}, theme.blue_text, text);
  }
}

void SequenceView::draw_activations(const Frame& frame, const Model& model) const {
  const Theme& theme = frame.canvas.theme;
  ImDrawList* list = frame.canvas.list;
  const ImU32 hue = full_hue(theme, model.settings);
  const double whole =
      double(std::max<uint64_t>(1, frame.view.trace->end_ns - frame.view.trace->start_ns));
  for (const auto& activation : layout_.activations) {
    if (!frame.sees(activation.y0, activation.y1)) continue;
    const auto& step = frame.view.steps[activation.step];
    const ImVec2 min{frame.edge_x(activation.lifeline, activation.depth, false),
                     std::max(frame.y(activation.y0), frame.top - 10)},
        max{frame.edge_x(activation.lifeline, activation.depth, true),
            std::min(frame.y(activation.y1), frame.bottom + 10)};
    // Its own part of the trace's time: where the time goes is seen without reading.
    const double share = std::sqrt(std::min(1.0, double(step.real_ns) / whole));
    list->AddRectFilled(min, max, mix(theme.bar, hue, float(share)), frame.canvas.px(1));
    if (step.failed)
      draw_hatch(list, {min.x, std::max(min.y, max.y - frame.canvas.px(12))}, max, theme.amber,
                 frame.canvas.px(5));
    const bool picked = picked_ == activation.step, pointed = pointed_ == activation.step;
    list->AddRect(min, max, picked || pointed ? theme.blue : theme.bar_line, frame.canvas.px(1), 0,
                  frame.canvas.px(picked ? 2 : 1));
  }
}

void SequenceView::draw_label(const Frame& frame, const diagrams::SequenceMessage& message) const {
  const Theme& theme = frame.canvas.theme;
  const auto& step = frame.view.steps[message.step];
  const std::string name = short_operation(frame.view.operations[step.operation].name);
  const std::string time = duration_text(double(step.end_ns - step.start_ns));
  const float x0 = frame.from_x(message), x1 = frame.to_x(message);
  const float y = frame.y(message.y) - theme.small->FontSize - frame.canvas.px(2);
  const bool self = message.from == message.to;
  const bool to_right = x1 >= x0 || self;
  // Over the part beside the caller: further on there are other lifelines.
  const float pad = frame.canvas.px(8);
  const float length =
      self ? frame.column - 30 * frame.unit : std::min(std::abs(x1 - x0), frame.column) - pad;
  const float left = self       ? x0 + 28 * frame.unit
                     : to_right ? x0 + pad * 0.6f
                                : x0 - std::min(std::abs(x1 - x0), frame.column) + pad * 0.6f;
  if (length < frame.canvas.px(24)) return;
  const float time_width = text_size(theme.mono_small, time).x + frame.canvas.px(6);
  const float name_width = text_size(theme.small, name).x;
  const bool both = name_width + time_width <= length;
  const ImU32 ink = step.failed                ? theme.amber
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
  for (auto at = first; at != layout_.messages.end(); ++at) {
    const diagrams::SequenceMessage& m = *at;
    const float y = std::round(frame.y(m.y));
    if (y > frame.bottom + 40 * frame.unit) break;
    const bool marked = pointed_ == m.step || picked_ == m.step;
    const ImU32 colour = marked ? theme.blue : with_alpha(theme.text, m.returns ? 0.5f : 0.85f);
    const float x0 = frame.from_x(m), x1 = frame.to_x(m);
    const float head = 6 * frame.unit, width = frame.canvas.px(marked ? 1.6f : 1);
    if (m.from == m.to) {
      // Out of the activation and back into it, a little lower or higher.
      const float out = std::max(x0, x1) + 16 * frame.unit, step = 8 * frame.unit;
      const float y0 = m.returns ? y : y - step, y1 = m.returns ? y + step * 0.6f : y;
      const float from = frame.edge_x(m.from, m.from_depth, true);
      const float to = frame.edge_x(m.to, m.to_depth, true);
      list->AddLine({from, y0}, {out, y0}, colour, width);
      list->AddLine({out, y0}, {out, y1}, colour, width);
      list->AddLine({out, y1}, {to, y1}, colour, width);
      draw_head(list, {to, y1}, false, head, colour);
    } else {
      if (m.returns)
        draw_dashed(list, {x0, y}, {x1, y}, colour, width, frame.canvas.px(4));
      else
        list->AddLine({x0, y}, {x1, y}, colour, width);
      draw_head(list, {x1, y}, x1 > x0, head, colour);
    }
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
