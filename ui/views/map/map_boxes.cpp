// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "layout/route.h"
#include "text/clean.h"
#include "text/match.h"
#include "text/numbers.h"
#include "ui/kit/draw.h"
#include "ui/views/map/map_frame.h"
#include "ui/views/shared/estimated.h"
#include "ui/views/shared/heat.h"

namespace compmond::ui {
namespace {

// How much of a box can be read at a zoom.
enum class Detail { kColour, kName, kBrief, kFull, kMore };
Detail detail_at(float zoom) {
  if (zoom < 0.30f) return Detail::kColour;
  if (zoom < kCpuShareZoom) return Detail::kName;
  if (zoom < 0.76f) return Detail::kBrief;
  return zoom < 1.35f ? Detail::kFull : Detail::kMore;
}

constexpr float kDimmed = 0.35f;  // what a search does not find

struct Paint {
  ImU32 fill, strong, weak;  // names and figures, captions
  float share;               // of the hue, 0 to 1
};

Paint paint_of(const MapFrame& frame, size_t node) {
  const auto& component = frame.component(node);
  const double hotness = frame.model.eased_of(component.name).hotness;
  const Theme& theme = frame.canvas.theme;
  Paint paint;
  paint.fill = heat_of(theme, frame.model, component.name, hotness);
  paint.strong = text_on(theme, paint.fill);
  // As far from the name as 4.5:1 leaves room.
  paint.weak = mix(paint.strong, paint.fill, 0.28f);
  if (contrast(paint.weak, paint.fill) < 4.5f) paint.weak = paint.strong;
  paint.share = float(hotness * hotness / 10'000);
  return paint;
}

void draw_glow(const MapFrame& frame, ImVec2 min, ImVec2 max, const Paint& paint, float rounding) {
  if (paint.share < 0.3f) return;
  const float reach = frame.canvas.px(2.4f) * std::min(1.0f, frame.zoom());
  for (int ring = 1; ring <= 5; ++ring) {
    const float out = reach * (float(ring) - 0.5f);
    const float alpha = 0.34f * paint.share * (1 - float(ring - 1) / 5);
    frame.canvas.list->AddRect({min.x - out, min.y - out}, {max.x + out, max.y + out},
                               with_alpha(paint.fill, alpha), rounding + out, 0, reach + 0.5f);
  }
}

void draw_port(const MapFrame& frame, geometry::Pt at, float alpha) {
  const float zoom = std::min(1.0f, frame.zoom());
  const float w = frame.canvas.px(4) * zoom, h = frame.canvas.px(5.5f) * zoom;
  const ImVec2 c = frame.screen(at);
  frame.canvas.list->AddRectFilled({c.x - w, c.y - h}, {c.x + w, c.y + h},
                                   with_alpha(frame.canvas.theme.dim, alpha), w / 2);
}

// What stands where the time would.
std::string time_text(const MapFrame& frame, size_t node) {
  const auto& component = frame.component(node);
  if (component.status == snapshot::Status::kRefused) return "refused";
  if (counts_only(component)) return "no times";
  if (const auto* of = estimated_of(component))
    return value_text(*of, &snapshot::Estimated::net_real_ns,
                      component.operations.empty()
                          ? std::nullopt
                          : std::optional(frame.model.eased_of(component.name).net_real_ns));
  return text::duration(frame.model.eased_of(component.name).net_real_ns);
}

// How far the time may be off; empty where it was observed.
std::string time_spread(const MapFrame& frame, size_t node) {
  const auto* of = estimated_of(frame.component(node));
  return of ? spread_text(*of, &snapshot::Estimated::net_real_ns) : std::string();
}

std::string calls_text(const MapFrame& frame, size_t node) {
  const auto& component = frame.component(node);
  const auto calls = uint64_t(std::llround(frame.model.eased_of(component.name).calls));
  if (component.status == snapshot::Status::kRefused) return "not observed";
  if (const auto* of = estimated_of(component))
    return where_text(*of, frame.model.snapshot->health.samples);
  // Not "0": the lost ones may have been theirs.
  if (calls == 0 && frame.model.snapshot->health.lost > 0) return "no calls seen";
  return text::counted(calls, "call");
}

// Which part of its time was on a CPU, without a number: a line of which that part is bright.
void draw_cpu_share(const MapFrame& frame, size_t node, ImVec2 min, ImVec2 max, ImU32 ink) {
  const auto* of = estimated_of(frame.component(node));
  const auto share = of ? cpu_share(*of, frame.model.snapshot->health.samples) : std::nullopt;
  if (!share) return;
  const float middle = min.x + (max.x - min.x) * float(*share);
  frame.canvas.list->AddRectFilled(min, {middle, max.y}, with_alpha(ink, kOnCpuInk));
  frame.canvas.list->AddRectFilled({middle, min.y}, max, with_alpha(ink, kWaitingInk));
}

// The name and, where there is room for a second line, the time.
void draw_small_words(const MapFrame& frame, size_t node, ImVec2 min, ImVec2 max,
                      const Paint& paint) {
  const Theme& theme = frame.canvas.theme;
  const float width = max.x - min.x - frame.canvas.px(8);
  const auto centred = [&](ImFont* font, float y, const std::string& text) {
    const std::string shown = ellipsized(font, text, width);
    draw_text(frame.canvas.list, font, {(min.x + max.x - text_size(font, shown).x) / 2, y},
              paint.strong, shown);
  };
  const float name = theme.small->FontSize, figure = theme.mono_small->FontSize;
  const bool both = max.y - min.y >= name + figure;
  const float y = (min.y + max.y - name - (both ? figure : 0)) / 2;
  centred(theme.small, y, text::clean(text::leaf(frame.component(node).name)));
  if (both) centred(theme.mono_small, y + name, time_text(frame, node));
}

// The time, how far it may be off, and the hotness, from `at` to `right`.
void draw_time_line(const MapFrame& frame, size_t node, ImVec2 at, float right,
                    const Paint& paint) {
  const Theme& theme = frame.canvas.theme;
  ImDrawList* list = frame.canvas.list;
  const auto& component = frame.component(node);
  const bool refused = component.status == snapshot::Status::kRefused;
  // On a cold box amber says it; on a hot one the hatching does.
  const ImU32 told = refused && paint.share < 0.2f ? theme.amber : paint.strong;
  const std::string time = time_text(frame, node), spread = time_spread(frame, node);
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
  const std::string hotness = text::hotness(frame.model.eased_of(component.name).hotness);
  if (refused || counts_only(component) ||
      (with_spread && left + text_size(theme.mono, hotness).x > right))
    return;
  draw_text_right(list, theme.mono, {right, at.y}, paint.share > 0.4f ? paint.strong : paint.weak,
                  hotness);
}

void draw_words(const MapFrame& frame, size_t node, ImVec2 min, ImVec2 max, const Paint& paint,
                Detail detail, bool doubted) {
  const Theme& theme = frame.canvas.theme;
  ImDrawList* list = frame.canvas.list;
  const auto& component = frame.component(node);
  const std::string name = text::clean(text::leaf(component.name));
  const bool large = detail == Detail::kMore;
  const float pad = frame.canvas.px(large ? 16.0f : detail == Detail::kFull ? 12.0f : 7.0f);
  const float width = max.x - min.x - 2 * pad;
  ImFont* title = large ? theme.title : theme.bold;
  if (detail == Detail::kName) return draw_small_words(frame, node, min, max, paint);
  const bool refused = component.status == snapshot::Status::kRefused,
             timed = !refused && !counts_only(component);
  const bool brief = detail == Detail::kBrief;
  const snapshot::Estimated* of = estimated_of(component);
  const bool more = large && timed && (of ? of->samples > 0 : component.figures.calls > 0);
  // What is left of the height goes between the lines, more of it outside.
  const float lines = title->FontSize + theme.mono->FontSize + (brief ? 0 : theme.small->FontSize) +
                      (more ? theme.small->FontSize : 0);
  const int gaps = brief ? 1 : more ? 3 : 2;
  const float gap = std::max(0.0f, (max.y - min.y - lines) / (float(gaps) + 3.2f));
  float y = min.y + 1.6f * gap;
  draw_text(list, title, {min.x + pad, y}, paint.strong, name, width);
  y += title->FontSize + gap;
  draw_time_line(frame, node, {min.x + pad, y}, max.x - pad, paint);
  if (brief) return;
  y += theme.mono->FontSize + gap;
  draw_text(list, theme.small, {min.x + pad, y}, doubted ? paint.strong : paint.weak,
            calls_text(frame, node), width);
  if (!more) return;
  y += theme.small->FontSize + gap;
  draw_text(
      list, theme.small, {min.x + pad, y}, paint.weak,
      of ? fmt::format("raw {}, {} sample{}", raw_text(component.figures), text::count(of->samples),
                       of->samples == 1 ? "" : "s")
         : fmt::format("raw mean {}, p99 {}", text::duration(double(component.figures.mean_ns)),
                       text::duration(double(component.figures.p99_ns))),
      width);
}

void draw_box(const MapFrame& frame, size_t node, Detail detail) {
  const Theme& theme = frame.canvas.theme;
  ImDrawList* list = frame.canvas.list;
  const geometry::Rect& box = frame.scene.boxes[node];
  const auto& component = frame.component(node);
  const ImVec2 min = frame.screen({box.x0, box.y0}), max = frame.screen({box.x1, box.y1});
  const std::string& why = frame.doubts[node];
  const Paint paint = paint_of(frame, node);
  if (detail == Detail::kColour) {
    // Small boxes are drawn without outline, or there would be more line than box.
    list->AddRectFilled(min, max, paint.fill, frame.zoom() > 0.12f ? frame.canvas.px(2) : 0);
    if (paint.share < 0.02f && frame.zoom() > 0.12f) list->AddRect(min, max, theme.bar_line, 2);
    if (!why.empty())
      list->AddRectFilled({min.x, max.y - std::max(1.0f, (max.y - min.y) / 9)}, max,
                          with_alpha(theme.amber, 0.75f));
  } else {
    const float rounding = frame.canvas.px(7) * std::min(1.0f, frame.zoom());
    draw_glow(frame, min, max, paint, rounding);
    list->AddRectFilled(min, max, paint.fill, rounding);
    const float strip = frame.canvas.px(7) * std::min(1.2f, std::max(0.6f, frame.zoom()));
    if (!why.empty()) {
      const float side = rounding / 2;
      draw_hatch(list, {min.x + side, max.y - strip}, {max.x - side, max.y - 1}, theme.amber,
                 frame.canvas.px(7));
    }
    // Cold boxes are all alike; their own colour still tells them apart.
    if (frame.model.settings.hue == Hue::kComponents)
      list->AddRectFilled(min, {min.x + rounding / 2, max.y},
                          full_hue_of(theme, frame.model, component.name), rounding / 2,
                          ImDrawFlags_RoundCornersLeft);
    list->AddRect(min, max, why.empty() ? theme.bar_line : mix(theme.bar_line, theme.amber, 0.7f),
                  rounding, 0, frame.canvas.px(1));
    // What the lowest part of the box is for is kept free of words.
    float below = why.empty() ? 0 : strip / 2;
    if (why.empty() && detail >= Detail::kBrief && estimated_of(component)) {
      const float inset = rounding + frame.canvas.px(2), edge = frame.canvas.px(2);
      below = edge + frame.canvas.px(2.5f);
      draw_cpu_share(frame, node, {min.x + inset, max.y - below}, {max.x - inset, max.y - edge},
                     paint.strong);
    }
    draw_words(frame, node, min, {max.x, max.y - below}, paint, detail, !why.empty());
    if (frame.ports[node] & kIn) draw_port(frame, layout::in_port(box), 1);
    if (frame.ports[node] & kOut) draw_port(frame, layout::out_port(box), 1);
  }
  if (!frame.model.found(component.name))
    list->AddRectFilled({min.x - 1, min.y - 1}, {max.x + 1, max.y + 1},
                        with_alpha(theme.background, 1 - kDimmed), frame.canvas.px(7));
  const bool selected = frame.model.selection.component == component.name;
  if (!selected && frame.hovered_node != int(node)) return;
  const float out = frame.canvas.px(2);
  list->AddRect({min.x - out, min.y - out}, {max.x + out, max.y + out},
                with_alpha(theme.blue, selected ? 1 : 0.5f), frame.canvas.px(9), 0,
                frame.canvas.px(2));
}

// Of a component and all that it contains.
std::string inside_text(const MapFrame& frame, size_t node) {
  const auto& subtree = frame.component(node).subtree;
  if (!subtree.estimated)
    return fmt::format("{} inside, {} calls", text::duration(double(subtree.net_real_ns)),
                       text::count(subtree.calls));
  return fmt::format("{} inside, {}",
                     value_text(*subtree.estimated, &snapshot::Estimated::net_real_ns),
                     where_text(*subtree.estimated, frame.model.snapshot->health.samples));
}

}  // namespace

void draw_map_frames(const MapFrame& frame) {
  const Theme& theme = frame.canvas.theme;
  ImDrawList* list = frame.canvas.list;
  for (size_t n = 0; n < frame.frames.size(); ++n) {
    const geometry::Rect& around = frame.frames[n];
    if (around.empty() || !frame.visible(around)) continue;
    const ImVec2 min = frame.screen({around.x0, around.y0}),
                 max = frame.screen({around.x1, around.y1});
    const float rounding = frame.canvas.px(9) * std::min(1.0f, frame.zoom());
    draw_ground(list, min, max, mix(theme.background, theme.panel, 0.75f), rounding);
    list->AddRect(min, max, theme.bar_line, rounding, 0, frame.canvas.px(1));
    const auto& component = frame.component(n);
    if (frame.model.selection.component == component.name || frame.hovered_node == int(n))
      list->AddRect(min, max, theme.blue, rounding, 0, frame.canvas.px(1.5f));
    if (frame.zoom() < 0.45f) continue;
    ImFont* font = frame.zoom() < 0.76f ? theme.small : theme.bold;
    const float pad = frame.canvas.px(10);
    const auto title = float(frame.style.frame_title * frame.camera.zoom);
    const float y = min.y + (title - font->FontSize) / 2;
    const std::string figures = inside_text(frame, n);
    const float room = max.x - min.x - 2 * pad;
    const float wide = text_size(theme.small, figures).x;
    const std::string name = text::clean(text::leaf(component.name));
    const float name_room = room - wide - pad;
    const bool both = name_room > std::min(frame.canvas.px(60), text_size(font, name).x);
    draw_text(list, font, {min.x + pad, y}, theme.text, name, both ? name_room : room);
    if (both)
      draw_text_right(list, theme.small, {max.x - pad, min.y + (title - theme.small->FontSize) / 2},
                      theme.dim, figures);
  }
}

void draw_map_boxes(const MapFrame& frame) {
  const Detail detail = detail_at(frame.zoom());
  std::vector<size_t> drawn;
  for (size_t n = 0; n < frame.scene.boxes.size(); ++n)
    if (frame.shown[n] && !frame.scene.boxes[n].empty() && frame.visible(frame.scene.boxes[n]))
      drawn.push_back(n);
  // The hottest last, so that no neighbour covers its glow.
  std::stable_sort(drawn.begin(), drawn.end(), [&](size_t a, size_t b) {
    return frame.component(a).figures.hotness < frame.component(b).figures.hotness;
  });
  for (const size_t n : drawn) draw_box(frame, n, detail);
}

void draw_map_callouts(const MapFrame& frame) {
  constexpr size_t kMost = 5;
  if (detail_at(frame.zoom()) > Detail::kColour) return;
  const Theme& theme = frame.canvas.theme;
  std::vector<size_t> hottest;
  for (size_t n = 0; n < frame.scene.boxes.size(); ++n)
    if (frame.shown[n] && !frame.scene.boxes[n].empty() && frame.component(n).figures.hotness > 0 &&
        frame.model.found(frame.component(n).name) && frame.visible(frame.scene.boxes[n]))
      hottest.push_back(n);
  const size_t most = std::min(kMost, hottest.size());
  std::partial_sort(
      hottest.begin(), hottest.begin() + long(most), hottest.end(), [&](size_t a, size_t b) {
        return frame.component(a).figures.hotness > frame.component(b).figures.hotness;
      });
  std::vector<geometry::Rect> taken;
  for (size_t i = 0; i < most; ++i) {
    const size_t n = hottest[i];
    const geometry::Rect& box = frame.scene.boxes[n];
    const std::string name = ellipsized(
        theme.bold, text::clean(text::leaf(frame.component(n).name)), frame.canvas.px(180));
    const std::string time = time_text(frame, n);
    const float pad = frame.canvas.px(7), gap = frame.canvas.px(8);
    const float width =
        text_size(theme.bold, name).x + gap + text_size(theme.mono, time).x + 2 * pad;
    const float height = theme.bold->FontSize + frame.canvas.px(8);
    // Above its box, below it where warnings stand there.
    const float apart = frame.canvas.px(5);
    ImVec2 tip = frame.screen({box.centre().x, box.y0});
    float y = tip.y - height - apart;
    const bool below = y < frame.canvas.min.y + frame.notes;
    if (below) tip = frame.screen({box.centre().x, box.y1}), y = tip.y + apart;
    const float x =
        std::clamp(tip.x - width / 2, frame.canvas.min.x + pad,
                   std::max(frame.canvas.min.x + pad, frame.canvas.max.x - width - pad));
    const geometry::Rect place{x, y, double(x) + width, double(y) + height};
    if (std::any_of(taken.begin(), taken.end(),
                    [&](const auto& other) { return other.grown(3).overlaps(place); }))
      continue;
    taken.push_back(place);
    ImDrawList* list = frame.canvas.list;
    const auto& component = frame.component(n);
    const ImU32 hue = heat_of(theme, frame.model, component.name, component.figures.hotness);
    list->AddRectFilled({x, y}, {x + width, y + height}, theme.raised, frame.canvas.px(5));
    list->AddRect({x, y}, {x + width, y + height}, hue, frame.canvas.px(5), 0,
                  frame.canvas.px(1.5f));
    list->AddLine({tip.x, below ? y : y + height}, tip, hue, frame.canvas.px(1.5f));
    const float text_y = y + frame.canvas.px(4);
    draw_text(list, theme.bold, {x + pad, text_y}, theme.strong, name);
    draw_text_right(list, theme.mono, {x + width - pad, text_y}, theme.text, time);
  }
}

}  // namespace compmond::ui
