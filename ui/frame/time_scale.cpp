// SPDX-License-Identifier: Apache-2.0
#include "ui/frame/time_scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "text/clean.h"
#include "text/numbers.h"
#include "ui/kit/draw.h"
#include "ui/kit/names.h"
#include "ui/views/shared/definitions.h"
#include "ui/views/shared/heat.h"

namespace compmond::ui {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;
constexpr float kHeader = 22, kAxis = 26, kRow = 13, kLabels = 112;  // design pixels
constexpr size_t kShades = 24;  // finer than the steps of boxes: a little is told from nothing
constexpr double kLeastShare = 0.05;  // and never invisible
// Of one strip: an answer of a megabyte or two. Pace asks for large ones less often.
constexpr size_t kCells = 200'000;

// Colours of a row, from nothing to a column that is full.
using Shades = std::array<ImU32, kShades + 1>;

size_t shade_of(uint64_t ns, uint64_t busy_ns) {
  if (ns == 0) return 0;
  return size_t(std::clamp(double(ns) / double(busy_ns), kLeastShare, 1.0) * double(kShades));
}

uint64_t age(const Model& model) { return model.now_ns() - model.run.start_ns; }

// Ranges that a young run fills from left to right, so that the picture stands still.
uint64_t automatic_span(const Model& model) {
  const uint64_t window = model.interval().length();
  const uint64_t longest = std::max(60 * kSecond, 12 * window);
  for (const uint64_t seconds : {10, 15, 20, 30, 45})
    if (age(model) < seconds * kSecond && window <= seconds * kSecond / 2) return seconds * kSecond;
  return longest;
}

size_t shown_components(const Model& model) {
  if (!model.snapshot) return 0;
  return size_t(std::count_if(model.snapshot->components.begin(), model.snapshot->components.end(),
                              [&](const auto& c) { return model.settings.shows(c.name); }));
}

float label_width(const Theme& theme, float width) {
  return theme.px(width < theme.px(1000) ? 98 : kLabels);
}

}  // namespace

float TimeScale::wanted_height(const Model& model, const Theme& theme, float available) const {
  const float rows = float(std::clamp<size_t>(shown_components(model), 4, 1000));
  const float wanted = theme.px(kHeader + kAxis + 8 + rows * kRow);
  return std::min(wanted, std::max(theme.px(120), available * 0.3f));
}

Interval TimeScale::range(const Model& model) const {
  const uint64_t start = model.run.start_ns, now = model.now_ns();
  if (whole_) return {start, std::max(now, start + kSecond)};
  const uint64_t span = span_ns_ ? span_ns_ : automatic_span(model);
  if (start_ns_) return {*start_ns_, *start_ns_ + span};
  const uint64_t margin = span / 50;  // room beyond now
  const uint64_t end = now + margin;
  return end - start <= span ? Interval{start, start + span} : Interval{end - span, end};
}

void TimeScale::hold_range(const Model& model) {
  const Interval window = model.interval();
  if (model.window.live) {
    start_ns_.reset();
  } else if (!whole_) {
    const Interval now = range(model);
    if (!start_ns_) start_ns_ = now.start_ns;
    const bool moved =
        window.start_ns != seen_window_.start_ns || window.end_ns != seen_window_.end_ns;
    const bool out = window.end_ns <= now.start_ns || window.start_ns >= now.end_ns;
    if (moved && out && grip_ == Grip::kNone) {  // the keys took it out of sight
      const uint64_t middle = window.start_ns + window.length() / 2;
      const uint64_t half = now.length() / 2;
      start_ns_ = std::max(model.run.start_ns, middle > half ? middle - half : 0);
    }
  }
  seen_window_ = window;
}

void TimeScale::ask(const Model& model, const Theme& theme, float width,
                    snapshot::ViewRequest& request) const {
  const Interval shown = range(model);
  const size_t components =
      std::max<size_t>(1, model.snapshot ? model.snapshot->components.size() : 1);
  const float plot = std::max(64.f, width - label_width(theme, width) - theme.px(32));
  const size_t columns =
      std::clamp<size_t>(size_t(plot / theme.px(2)), 32, std::max<size_t>(32, kCells / components));
  // Columns keep their places on a grid while the range moves on, so that what is past does not
  // flicker.
  const uint64_t column = std::max<uint64_t>(1, (shown.length() + columns - 1) / columns);
  const uint64_t since =
      shown.start_ns > model.run.start_ns ? shown.start_ns - model.run.start_ns : 0;
  const uint64_t first = model.run.start_ns + since / column * column;
  auto& strip = request.strip.emplace();
  strip.columns = uint32_t(std::min<size_t>(columns + 2, 4096));
  strip.start_ns = first;
  strip.end_ns = first + column * strip.columns;
}

TimeScale::Geometry TimeScale::geometry(const Canvas& canvas) const {
  const float label_left = canvas.min.x + canvas.px(16);
  return {label_left + label_width(canvas.theme, canvas.width()), canvas.max.x - canvas.px(16),
          canvas.min.y + canvas.px(kHeader + 4), canvas.max.y - canvas.px(kAxis + 2), label_left};
}

geometry::Axis TimeScale::axis(const Geometry& at, const Model& model) const {
  const Interval shown = range(model);
  return {shown.start_ns, shown.end_ns, at.left, std::max(1.f, at.right - at.left)};
}

void TimeScale::draw(const Canvas& canvas, Model& model) {
  const Theme& theme = canvas.theme;
  canvas.list->AddLine(canvas.min, {canvas.max.x, canvas.min.y}, theme.line);
  hold_range(model);
  const Geometry at = geometry(canvas);
  if (at.right - at.left < canvas.px(40) || at.bottom <= at.top) return;
  const geometry::Axis scale = axis(at, model);
  draw_grounds(canvas, at, scale, model);
  draw_rows(canvas, at, scale, model);
  draw_losses(canvas, at, scale, model);
  draw_axis(canvas, at, scale, model);
  draw_window(canvas, at, scale, model);
  draw_violations(canvas, at, scale, model);
  draw_buttons(canvas, at, model);
  handle_mouse(canvas, at, scale, model);
}

// What was, the window in it, and what is not yet.
void TimeScale::draw_grounds(const Canvas& canvas, const Geometry& at, const geometry::Axis& axis,
                             const Model& model) const {
  const Theme& theme = canvas.theme;
  const auto x = [&](uint64_t ns) { return std::clamp(float(axis.px(ns)), at.left, at.right); };
  const auto ground = [&](float from, float to, ImU32 colour) {
    draw_ground(canvas.list, {from, at.top}, {to, at.bottom}, colour);
  };
  const Interval window = model.interval();
  ground(at.left, at.right, theme.background);
  ground(x(window.start_ns), x(window.end_ns),
         mix(theme.background, theme.blue, theme.dark ? 0.11f : 0.1f));
  ground(x(model.now_ns()), at.right, theme.panel);
}

void TimeScale::draw_rows(const Canvas& canvas, const Geometry& at, const geometry::Axis& axis,
                          Model& model) {
  if (!model.strip || model.strip->columns == 0) return;
  const Theme& theme = canvas.theme;
  const snapshot::StripView& strip = *model.strip;
  const auto lines = size_t(std::max(1.f, (at.bottom - at.top) / canvas.px(2)));
  if (rows_of_ != model.generation || row_lines_ != lines || rows_.rows.empty()) {
    rows_ = strip_rows(strip, model.settings, lines);
    rows_of_ = model.generation;
    row_lines_ = lines;
  }
  if (rows_.rows.empty()) return;
  const float height = (at.bottom - at.top) / float(rows_.rows.size());
  const float gap = height >= canvas.px(5) ? canvas.px(1) : 0;
  const double column_ns = double(strip.end_ns - strip.start_ns) / strip.columns;
  // Made once per hue: there are far more cells than shades.
  std::map<ImU32, Shades> known;
  const auto shades_of = [&](ImU32 hue, const std::string& path) -> const Shades& {
    const auto [shades, fresh] = known.try_emplace(hue);
    // Colours grow with the square of hotness; what fills a column half shall look half full.
    for (size_t i = 0; fresh && i <= kShades; ++i)
      shades->second[i] =
          heat_of(theme, model, path, 100 * std::sqrt((double(i) + 0.5) / kShades), int(kShades));
    return shades->second;
  };
  const float end = std::clamp(float(axis.px(model.now_ns())), at.left, at.right);
  canvas.list->PushClipRect({at.left, at.top}, {end, at.bottom}, true);
  for (size_t row = 0; row < rows_.rows.size(); ++row) {
    const auto& cells = rows_.rows[row].real_ns;
    const std::string& path = strip.components[rows_.rows[row].members.front()];
    const float y = at.top + height * float(row);
    const Shades& colours = shades_of(full_hue_of(theme, model, path), path);
    for (size_t from = 0; from < cells.size();) {
      const size_t shade = shade_of(cells[from], rows_.busy_ns);
      size_t to = from + 1;
      while (to < cells.size() && shade_of(cells[to], rows_.busy_ns) == shade) ++to;
      if (shade > 0) {
        const auto x = [&](size_t column) {
          return float(axis.px(strip.start_ns + uint64_t(column_ns * double(column))));
        };
        canvas.list->AddRectFilled({x(from), y}, {x(to), y + height - gap}, colours[shade]);
      }
      from = to;
    }
  }
  canvas.list->PopClipRect();

  const bool labels = height >= canvas.px(10) && rows_.rows.size() > 0;
  for (size_t row = 0; row < rows_.rows.size(); ++row) {
    const auto& members = rows_.rows[row].members;
    const std::string& path = strip.components[members.front()];
    const float y = at.top + height * float(row);
    const ImVec2 min{at.label_left, y}, max{at.left - canvas.px(4), y + height};
    const bool hovered = ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(min, max);
    if (labels) {
      const bool selected = path == model.selection.component;
      draw_text(canvas.list, theme.small, {min.x, y + (height - theme.small->FontSize) / 2},
                selected  ? theme.blue_text
                : hovered ? theme.strong
                          : theme.dim,
                text::clean(leaf(path)), max.x - min.x);
    }
    if (hovered) {
      tooltip(theme, text::clean(path),
              members.size() == 1 ? "" : fmt::format("and the {} after it", members.size() - 1),
              definition(Term::kActivity).text);
      if (ImGui::IsMouseClicked(0)) model.selection = {path, "", {}};
    }
  }
  if (!labels)
    draw_text(canvas.list, theme.small, {at.label_left, at.top}, theme.dim,
              fmt::format("{} components", text::count(shown_components(model))),
              at.left - at.label_left - canvas.px(6));
}

void TimeScale::draw_losses(const Canvas& canvas, const Geometry& at, const geometry::Axis& axis,
                            const Model& model) const {
  if (!model.strip) return;
  const auto& strip = *model.strip;
  const double column_ns = double(strip.end_ns - strip.start_ns) / std::max(1u, strip.columns);
  canvas.list->PushClipRect({at.left, at.top - canvas.px(6)}, {at.right, at.bottom}, true);
  for (size_t c = 0; c < strip.lost.size(); ++c) {
    if (strip.lost[c] == 0) continue;
    const auto from = float(axis.px(strip.start_ns + uint64_t(column_ns * double(c))));
    const float to = std::max(from + canvas.px(3),
                              float(axis.px(strip.start_ns + uint64_t(column_ns * double(c + 1)))));
    canvas.list->AddRectFilled({from, at.top}, {to, at.bottom},
                               with_alpha(canvas.theme.amber, 0.16f));
    draw_hatch(canvas.list, {from, at.top}, {to, at.bottom}, with_alpha(canvas.theme.amber, 0.8f),
               canvas.px(4));
    const float middle = (from + to) / 2, r = canvas.px(4);
    canvas.list->AddTriangleFilled({middle - r, at.top - r * 1.4f}, {middle + r, at.top - r * 1.4f},
                                   {middle, at.top}, canvas.theme.amber);
  }
  canvas.list->PopClipRect();
}

void TimeScale::draw_axis(const Canvas& canvas, const Geometry& at, const geometry::Axis& axis,
                          const Model& model) const {
  const Theme& theme = canvas.theme;
  const uint64_t step = geometry::tick_step(axis, canvas.px(72));
  float free = at.left - canvas.px(20);
  for (const uint64_t tick : geometry::ticks(axis, step, model.run.start_ns)) {
    if (tick < model.run.start_ns) continue;
    const auto x = float(axis.px(tick));
    canvas.list->AddLine({x, at.bottom}, {x, at.bottom + canvas.px(4)}, theme.faint);
    const std::string text = text::moment(double(tick - model.run.start_ns), double(step));
    const float width = text_size(theme.mono_small, text).x;
    if (x - width / 2 < free || x + width / 2 > canvas.max.x - canvas.px(2)) continue;
    draw_text(canvas.list, theme.mono_small, {x - width / 2, at.bottom + canvas.px(6)}, theme.dim,
              text);
    free = x + width / 2 + canvas.px(8);
  }
  const std::string whole = text::duration(double(age(model)));
  const Interval shown = range(model);
  const std::string text =
      shown.start_ns == model.run.start_ns
          ? "time since start"
          : fmt::format("{} of {}", text::duration(double(shown.length())), whole);
  draw_text(canvas.list, theme.small, {at.label_left, canvas.min.y + canvas.px(7)}, theme.dim, text,
            at.left - at.label_left + canvas.px(60));
}

void TimeScale::draw_window(const Canvas& canvas, const Geometry& at, const geometry::Axis& axis,
                            const Model& model) const {
  const Theme& theme = canvas.theme;
  const Interval window = model.interval();
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
    const ImU32 colour = model.run.live ? theme.green : theme.dim;
    canvas.list->AddLine({now, top}, {now, bottom}, colour, canvas.px(1.5f));
    const char* text = model.run.live ? "now" : "end";
    const float width = text_size(theme.small, text).x;
    const float x = std::min(std::max(now - width / 2, at.left), at.right - width);
    draw_text(canvas.list, theme.small, {x, label_y}, colour, text);
    free_right = x - canvas.px(10);
  }
  const std::string length = text::duration(double(window.length()));
  const std::string text =
      model.window.live
          ? fmt::format("window {} (follows)", length)
          : fmt::format("window {} at {}", length,
                        text::moment(double(window.start_ns - model.run.start_ns),
                                     double(std::max<uint64_t>(1, window.length() / 100))));
  const float width = text_size(theme.small, text).x;
  const float least = at.left + canvas.px(66);
  const float x = std::max(least, std::min((from + to - width) / 2, free_right - width));
  if (x + width <= free_right + 1)
    draw_text(canvas.list, theme.small, {x, label_y}, theme.blue_text, text);
}

void TimeScale::draw_buttons(const Canvas& canvas, const Geometry& at, Model& model) {
  const Theme& theme = canvas.theme;
  const float top = canvas.max.y - canvas.px(kAxis), bottom = canvas.max.y - canvas.px(4);
  const float width = std::min(canvas.px(50), (at.left - at.label_left - canvas.px(18)) / 2);
  const ImVec2 live_min{at.label_left, top}, live_max{at.label_left + width, bottom};
  ImGui::SetCursorScreenPos(live_min);
  if (ImGui::InvisibleButton("live", {live_max.x - live_min.x, live_max.y - live_min.y}))
    go_live(model);
  const bool on = model.window.live && model.run.live;
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
  if (hovered) tooltip(theme, "live (L)", "The window follows now.");

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
