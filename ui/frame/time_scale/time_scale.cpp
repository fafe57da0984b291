// SPDX-License-Identifier: Apache-2.0
#include "ui/frame/time_scale/time_scale.h"

#include <algorithm>

#include "ui/kit/draw.h"

namespace compmond::ui {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;
constexpr float kHeader = 22, kRow = 13, kLabels = 112;  // design pixels
// Of one strip: an answer of a megabyte or two. Pace asks for large ones less often.
constexpr size_t kCells = 200'000;

uint64_t age(const Model& model) { return model.now_ns() - model.run.start_ns; }

// Of a replay, which is never longer, the whole log and a bit of room beyond it; else `span`.
uint64_t within_log(const Model& model, uint64_t span) {
  constexpr uint64_t kShortest = 10'000;
  if (!model.run.replay) return span;
  const uint64_t log = model.run.end_ns - std::min(model.run.end_ns, model.run.start_ns);
  return std::min(span, std::max(log + log / 40, kShortest));
}

// Ranges that a young run fills from left to right, so that the picture stands still: by the window
// that was chosen, also while it is longer by itself.
uint64_t automatic_span(const Model& model) {
  const uint64_t window = model.interval().length();
  const uint64_t chosen = std::min(window, model.window.length_ns);
  for (const uint64_t seconds : {10, 15, 20, 30, 45})
    if (age(model) < seconds * kSecond && chosen <= seconds * kSecond / 2) return seconds * kSecond;
  const uint64_t longest = std::max(60 * kSecond, 12 * chosen);
  return age(model) > longest && window > longest / 2 ? 2 * longest : longest;
}

float label_width(const Theme& theme, float width) {
  return theme.px(width < theme.px(1000) ? 98 : kLabels);
}

}  // namespace

size_t shown_components(const Model& model) {
  if (!model.snapshot) return 0;
  return size_t(std::count_if(model.snapshot->components.begin(), model.snapshot->components.end(),
                              [&](const auto& c) { return has_strip_row(model.settings, c); }));
}

float TimeScale::wanted_height(const Model& model, const Theme& theme, float available) const {
  const float rows = float(std::clamp<size_t>(shown_components(model), 4, 1000));
  const float wanted = theme.px(kHeader + switch_lane(model) + kTimeAxis + 8 + rows * kRow);
  return std::min(wanted, std::max(theme.px(120), available * 0.3f));
}

Window TimeScale::range(const Model& model) const {
  const uint64_t start = model.run.start_ns, now = model.now_ns();
  if (whole_) return {start, std::max(now, start + within_log(model, kSecond))};
  const uint64_t span = span_ns_ ? span_ns_ : within_log(model, automatic_span(model));
  if (start_ns_) return {*start_ns_, *start_ns_ + span};
  const uint64_t margin = span / 50;  // room beyond now
  const uint64_t end = now + margin;
  return end - start <= span ? Window{start, start + span} : Window{end - span, end};
}

void TimeScale::hold_range(const Model& model) {
  const Window window = model.interval();
  if (model.window.live) {
    start_ns_.reset();
  } else if (!whole_) {
    const Window now = range(model);
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
  const Window shown = range(model);
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

TimeScale::Geometry TimeScale::geometry(const Canvas& canvas, const Model& model) const {
  const float label_left = canvas.min.x + canvas.px(16);
  return {label_left + label_width(canvas.theme, canvas.width()), canvas.max.x - canvas.px(16),
          canvas.min.y + canvas.px(kHeader + switch_lane(model) + 4),
          canvas.max.y - canvas.px(kTimeAxis + 2), label_left};
}

geometry::Axis TimeScale::axis(const Geometry& at, const Model& model) const {
  const Window shown = range(model);
  return {shown.start_ns, shown.end_ns, at.left, std::max(1.f, at.right - at.left)};
}

void TimeScale::draw(const Canvas& canvas, Model& model) {
  const Theme& theme = canvas.theme;
  canvas.list->AddLine(canvas.min, {canvas.max.x, canvas.min.y}, theme.line);
  hold_range(model);
  const Geometry at = geometry(canvas, model);
  if (at.right - at.left < canvas.px(40) || at.bottom <= at.top) return;
  const geometry::Axis scale = axis(at, model);
  draw_grounds(canvas, at, scale, model);
  draw_rows(canvas, at, scale, model);
  draw_losses(canvas, at, scale, model);
  draw_axis(canvas, at, scale, model);
  draw_window(canvas, at, scale, model);
  draw_busy(canvas, at, scale, model);
  draw_slices(canvas, at, scale, model);
  draw_switches(canvas, at, scale, model);
  draw_violations(canvas, at, scale, model);
  draw_buttons(canvas, at, model);
  handle_mouse(canvas, at, scale, model);
}

// What was, the window in it, what was and is not known yet, and what is not yet.
void TimeScale::draw_grounds(const Canvas& canvas, const Geometry& at, const geometry::Axis& axis,
                             const Model& model) const {
  const Theme& theme = canvas.theme;
  const auto x = [&](uint64_t ns) { return std::clamp(float(axis.px(ns)), at.left, at.right); };
  const auto ground = [&](float from, float to, ImU32 colour) {
    draw_ground(canvas.list, {from, at.top}, {to, at.bottom}, colour);
  };
  const Window window = model.interval();
  ground(at.left, at.right, theme.background);
  ground(x(window.start_ns), x(window.end_ns),
         mix(theme.background, theme.blue, theme.dark ? 0.11f : 0.1f));
  ground(x(model.known_ns()), at.right, theme.panel);
  draw_hatch(canvas.list, {x(model.known_ns()), at.top}, {x(model.now_ns()), at.bottom}, theme.line,
             canvas.px(5));
}

}  // namespace compmond::ui
