// SPDX-License-Identifier: Apache-2.0
#include "ui/views/map/box_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "snapshot/doubt.h"
#include "snapshot/estimate_text.h"
#include "text/clean.h"
#include "text/columns.h"
#include "text/match.h"
#include "text/numbers.h"
#include "ui/kit/draw.h"
#include "ui/model/switching.h"
#include "ui/views/shared/estimated.h"
#include "ui/views/shared/heat.h"
#include "ui/views/shared/ranked.h"

namespace compmond::ui {
namespace {

constexpr float kBesideName = 4;  // design pixels
constexpr size_t kLeastName = 3;  // characters, of one that is cut

}  // namespace

BoxDetail box_detail(float zoom) {
  if (zoom < 0.30f) return BoxDetail::kColour;
  if (zoom < kCpuShareZoom) return BoxDetail::kName;
  if (zoom < 0.76f) return BoxDetail::kBrief;
  return zoom < 1.35f ? BoxDetail::kFull : BoxDetail::kMore;
}

BoxPaint box_paint(const MapFrame& frame, size_t node) {
  const auto& component = frame.component(node);
  const double hotness = frame.model.eased_of(component.name).hotness;
  const Theme& theme = frame.canvas.theme;
  BoxPaint paint;
  if (frame.off[node]) {
    paint.fill = mix(theme.background, theme.bar, 0.35f);
    paint.strong = paint.weak = theme.dim;
    paint.share = 0;
    return paint;
  }
  paint.fill = heat_of(theme, frame.model, component.name, hotness);
  paint.strong = text_on(theme, paint.fill);
  // As far from the name as 4.5:1 leaves room.
  paint.weak = mix(paint.strong, paint.fill, 0.28f);
  if (contrast(paint.weak, paint.fill) < 4.5f) paint.weak = paint.strong;
  paint.share = float(hotness * hotness / 10'000);
  return paint;
}

std::string box_time_text(const MapFrame& frame, size_t node) {
  const auto& component = frame.component(node);
  if (component.status == snapshot::Status::kRefused) return "refused";
  if (frame.off[node]) return "off";
  if (only_counted(component)) return "no times";
  if (component.operations.empty())
    if (const auto* of = estimated_of(component))
      return value_text(*of, &snapshot::Estimated::net_real_ns);
  return ranked_text(*frame.model.snapshot, component.figures);
}

std::string name_alone(const MapFrame& frame, size_t node) {
  ImFont* font = frame.canvas.theme.small;
  const geometry::Rect& box = frame.scene.boxes[node];
  const ImVec2 min = frame.screen({box.x0, box.y0}), max = frame.screen({box.x1, box.y1});
  if (max.y - min.y < font->FontSize) return {};
  const std::string name = text::clean(text::leaf(frame.component(node).name)),
                    shown = ellipsized(font, name, max.x - min.x - frame.canvas.px(kBesideName),
                                       frame.model.short_names);
  return shown == name || text::columns(shown) > kLeastName ? shown : "";
}

namespace {

// How far the time may be off; empty where it was observed.
std::string time_spread(const MapFrame& frame, size_t node) {
  const auto* of = frame.off[node] ? nullptr : estimated_of(frame.component(node));
  const bool real = ranked_figure(*frame.model.snapshot) == snapshot::RankedFigure::kReal;
  return of && real ? spread_text(*of, &snapshot::Estimated::net_real_ns) : std::string();
}

std::string calls_text(const MapFrame& frame, size_t node) {
  const auto& component = frame.component(node);
  const uint64_t calls = component.figures.calls;
  if (component.status == snapshot::Status::kRefused) return "not observed";
  if (frame.off[node]) return off_since_text(frame.model, component);
  if (const auto* of = estimated_of(component))
    return (is_off(*frame.model.snapshot, component) ? "off · " : "") +
           where_text(*of, frame.model.snapshot->health.samples);
  if (calls == 0 && !doubt_of_none(*frame.model.snapshot, component).empty())
    return "no calls seen";
  const std::string counted = at_least_mark(component.figures) + text::counted(calls, "call");
  if (component.figures.waiting_ns > 0)
    return fmt::format("waits {}, {}", text::duration(double(component.figures.waiting_ns)),
                       counted);
  return counted;
}

// What stands above it, where that is not the real time, and what else there is.
std::string lower_text(const MapFrame& frame, size_t node) {
  const snapshot::Snapshot& snapshot = *frame.model.snapshot;
  const auto& component = frame.component(node);
  const auto ranks = ranked_figure(snapshot);
  const bool told = component.status != snapshot::Status::kRefused && !only_counted(component) &&
                    !frame.off[node];
  if (!told || ranks == snapshot::RankedFigure::kReal) return calls_text(frame, node);
  const bool count =
      ranks == snapshot::RankedFigure::kCalls || ranks == snapshot::RankedFigure::kMissed;
  return fmt::format("{} · {}", ranked_name(snapshot),
                     count ? "real " + real_text(component.figures) : calls_text(frame, node));
}

// The name and, where there is room for a second line, the time.
void draw_small_words(const MapFrame& frame, size_t node, ImVec2 min, ImVec2 max,
                      const BoxPaint& paint) {
  const Theme& theme = frame.canvas.theme;
  const float width = max.x - min.x - frame.canvas.px(8);
  const auto centred = [&](ImFont* font, float y, const std::string& text) {
    const std::string shown = ellipsized(font, text, width, frame.model.short_names);
    draw_text(frame.canvas.list, font, {(min.x + max.x - text_size(font, shown).x) / 2, y},
              paint.strong, shown);
  };
  const float name = theme.small->FontSize, figure = theme.mono_small->FontSize;
  const bool both = max.y - min.y >= name + figure;
  const float y = (min.y + max.y - name - (both ? figure : 0)) / 2;
  centred(theme.small, y, text::clean(text::leaf(frame.component(node).name)));
  if (both) centred(theme.mono_small, y + name, box_time_text(frame, node));
}

// The time, how far it may be off, and the hotness, from `at` to `right`.
void draw_time_line(const MapFrame& frame, size_t node, ImVec2 at, float right,
                    const BoxPaint& paint) {
  const Theme& theme = frame.canvas.theme;
  ImDrawList* list = frame.canvas.list;
  const auto& component = frame.component(node);
  const bool refused = component.status == snapshot::Status::kRefused;
  // On a cold box amber says it; on a hot one the hatching does.
  const ImU32 told = refused && paint.share < 0.2f ? theme.amber : paint.strong;
  std::string time = box_time_text(frame, node);
  const std::string spread = time_spread(frame, node);
  constexpr const char* kOffInFull = "switched off";
  if (frame.off[node] && text_size(theme.mono, kOffInFull).x <= right - at.x) time = kOffInFull;
  draw_text(list, theme.mono, at, told, time, right - at.x);
  // Where there is no room for both, the hotness gives way: the colour says it too.
  const float gap = frame.canvas.px(6), wide = text_size(theme.mono_small, spread).x;
  float left = at.x + text_size(theme.mono, time).x + gap;
  const bool with_spread = !spread.empty() && left + wide <= right;
  if (with_spread) {
    const float lower = theme.mono->FontSize - theme.mono_small->FontSize - frame.canvas.px(1);
    draw_text(list, theme.mono_small, {left, at.y + lower}, paint.weak, spread);
    left += wide + gap;
  }
  const std::string hotness = text::hotness(component.figures.hotness);
  if (refused || frame.off[node] || only_counted(component) ||
      (with_spread && left + text_size(theme.mono, hotness).x > right))
    return;
  draw_text_right(list, theme.mono, {right, at.y}, paint.share > 0.4f ? paint.strong : paint.weak,
                  hotness);
}

}  // namespace

void draw_box_words(const MapFrame& frame, size_t node, ImVec2 min, ImVec2 max,
                    const BoxPaint& paint, BoxDetail detail, bool doubted) {
  const Theme& theme = frame.canvas.theme;
  ImDrawList* list = frame.canvas.list;
  const auto& component = frame.component(node);
  const std::string name = text::clean(text::leaf(component.name));
  const bool large = detail == BoxDetail::kMore;
  const float pad = frame.canvas.px(large ? 16.0f : detail == BoxDetail::kFull ? 12.0f : 7.0f);
  const float width = max.x - min.x - 2 * pad;
  ImFont* title = large ? theme.title : theme.bold;
  if (text_size(title, name).x > width) title = theme.small;  // rather than cut
  if (detail == BoxDetail::kName) return draw_small_words(frame, node, min, max, paint);
  const bool refused = component.status == snapshot::Status::kRefused,
             timed = !refused && !frame.off[node] && !only_counted(component);
  const bool brief = detail == BoxDetail::kBrief;
  const snapshot::Estimated* of = estimated_of(component);
  const bool more = large && timed && (of ? of->samples > 0 : component.figures.calls > 0);
  // What is left of the height goes between the lines, more of it outside.
  const float lines = title->FontSize + theme.mono->FontSize + (brief ? 0 : theme.small->FontSize) +
                      (more ? theme.small->FontSize : 0);
  const int gaps = brief ? 1 : more ? 3 : 2;
  const float gap = std::max(0.0f, (max.y - min.y - lines) / (float(gaps) + 3.2f));
  float y = min.y + 1.6f * gap;
  draw_text(list, title, {min.x + pad, y}, paint.strong, name, width, frame.model.short_names);
  y += title->FontSize + gap;
  draw_time_line(frame, node, {min.x + pad, y}, max.x - pad, paint);
  if (brief) return;
  y += theme.mono->FontSize + gap;
  draw_text(list, theme.small, {min.x + pad, y}, doubted ? paint.strong : paint.weak,
            lower_text(frame, node), width);
  if (!more) return;
  y += theme.small->FontSize + gap;
  draw_text(list, theme.small, {min.x + pad, y}, paint.weak,
            of ? fmt::format("raw {}, {} sample{}", raw_text(component.figures),
                             text::count(of->samples), of->samples == 1 ? "" : "s")
               : fmt::format("raw mean {}, p99 {}",
                             raw_single_text(component.figures, component.figures.mean_ns),
                             raw_single_text(component.figures, component.figures.p99_ns)),
            width);
}

}  // namespace compmond::ui
