// SPDX-License-Identifier: Apache-2.0
#include "ui/views/graph/graph_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "layout/route.h"
#include "ui/kit/draw.h"

namespace compmond::ui {
namespace {

constexpr float kHeadZoom = 0.28f, kLabelZoom = 0.45f;
constexpr size_t kMaxLabels = 160;  // beyond, they are noise and cost frames

void draw_dashes(ImDrawList* list, const std::vector<ImVec2>& points, const Stroke& stroke,
                 float dash) {
  // Dashes run on over the corners: `left` of the current dash or gap remains.
  float left = dash;
  bool on = true;
  for (size_t i = 1; i < points.size(); ++i) {
    const float dx = points[i].x - points[i - 1].x, dy = points[i].y - points[i - 1].y;
    const float size = std::hypot(dx, dy);
    for (float at = 0; at < size;) {
      const float step = std::min(left, size - at);
      if (on)
        list->AddLine(
            {points[i - 1].x + dx * at / size, points[i - 1].y + dy * at / size},
            {points[i - 1].x + dx * (at + step) / size, points[i - 1].y + dy * (at + step) / size},
            stroke.colour, stroke.width);
      at += step;
      left -= step;
      if (left > 0.01f) continue;
      left = dash;
      on = !on;
    }
  }
}

void draw_end(const GraphSight& sight, const std::vector<geometry::Pt>& line,
              const Stroke& stroke) {
  const geometry::OnLine end = geometry::along(line, 1);
  const ImVec2 tip = sight.screen(end.at);
  const geometry::Pt way = end.direction;
  const float zoom = std::min(1.0f, sight.zoom());
  const float back =
      std::abs(way.x) > std::abs(way.y) ? std::max(stroke.covered, sight.canvas.px(4) * zoom) : 0;
  const double size = (sight.canvas.px(5) + stroke.width) * std::max(0.6f, zoom);
  draw_head(
      sight.canvas.list,
      geometry::arrow_head({geometry::Pt{tip.x, tip.y} - way * back, way}, 1.2 * size, 0.6 * size),
      stroke.colour);
}

}  // namespace

ImVec2 GraphSight::screen(geometry::Pt at) const {
  const geometry::Pt p = camera.screen(at);
  return {canvas.min.x + float(p.x), canvas.min.y + float(p.y)};
}

bool GraphSight::visible(const geometry::Rect& rect) const {
  const geometry::Rect on_screen = camera.screen(rect);
  return on_screen.overlaps({-20, -20, canvas.width() + 20.0, canvas.height() + 20.0});
}

void draw_graph_line(const GraphSight& sight, const std::vector<geometry::Pt>& line,
                     Stroke stroke) {
  if (line.size() < 2) return;
  const bool far = sight.zoom() < kHeadZoom;
  std::vector<ImVec2> points;
  for (size_t i = 0; i < line.size(); i += far && i + 4 < line.size() ? 4 : 1)
    points.push_back(sight.screen(line[i]));
  if (stroke.dashed)
    draw_dashes(sight.canvas.list, points, stroke, sight.canvas.px(5));
  else
    sight.canvas.list->AddPolyline(points.data(), int(points.size()), stroke.colour, 0,
                                   stroke.width);
  if (!far) draw_end(sight, line, stroke);
}

void LineLabels::place(const GraphSight& sight, const layout::MapScene& scene, uint64_t revision,
                       const std::vector<geometry::Rect>& boxes, const std::vector<size_t>& lines,
                       const std::vector<Wish>& wishes) {
  if (sight.zoom() < kLabelZoom || lines.size() > kMaxLabels) {
    labels_.clear();
    key_.clear();
    return;
  }
  ImFont* font = sight.canvas.theme.small;
  // Widths in steps, so that a digit more or less does not make a label jump.
  const float grain = sight.canvas.px(14);
  const auto width = [&](const std::string& text) {
    return std::ceil(text_size(font, text).x / grain) * grain;
  };
  std::string key = fmt::format("{} {:.4f} ", revision, sight.camera.zoom);
  for (const size_t line : lines) key += fmt::format("{},", line);
  for (const Wish& wish : wishes) key += fmt::format("{} {:.0f};", wish.edge, width(wish.text));
  if (key == key_) {
    for (size_t i = 0; i < wishes.size(); ++i) {
      if (labels_[i].text.empty()) continue;
      labels_[i].text = labels_[i].shortened ? wishes[i].brief : wishes[i].text;
      labels_[i].colour = wishes[i].colour;
    }
    return;
  }
  key_ = key;
  labels_.assign(wishes.size(), {});
  // In pixels from the layout's origin, so that panning changes nothing.
  const geometry::Camera here{sight.camera.zoom, {}};
  std::vector<geometry::Rect> rects;
  for (const geometry::Rect& box : boxes) rects.push_back(here.screen(box));
  std::map<size_t, std::vector<geometry::Pt>> near;
  for (const size_t line : lines)
    for (const geometry::Pt p : scene.lines[line]) near[line].push_back(here.screen(p));
  std::vector<const std::vector<geometry::Pt>*> all;
  for (const auto& [line, points] : near) all.push_back(&points);
  std::vector<layout::LabelWish> asked;
  for (const Wish& wish : wishes) {
    const double narrow = width(wish.brief), wide = width(wish.text);
    asked.push_back({&near[wish.edge], wide, font->FontSize, narrow < wide ? narrow : 0});
  }
  const auto places = layout::place_labels(asked, rects, all);
  for (size_t i = 0; i < wishes.size(); ++i) {
    if (!places[i]) continue;
    const layout::LabelPlace& place = *places[i];
    const std::string& text = place.shortened ? wishes[i].brief : wishes[i].text;
    labels_[i] = {
        text,
        wishes[i].colour,
        place.shortened,
        {float(place.rect.centre().x - text_size(font, text).x / 2), float(place.rect.y0)}};
  }
}

void LineLabels::draw(const GraphSight& sight) const {
  const ImVec2 origin = sight.screen({0, 0});
  ImFont* font = sight.canvas.theme.small;
  for (const Label& label : labels_) {
    if (label.text.empty()) continue;
    const ImVec2 at{origin.x + label.at.x, origin.y + label.at.y};
    const ImVec2 size = text_size(font, label.text);
    sight.canvas.list->AddRectFilled({at.x - 2, at.y}, {at.x + size.x + 2, at.y + size.y},
                                     with_alpha(sight.canvas.theme.background, 0.8f), 3);
    draw_text(sight.canvas.list, font, at, label.colour, label.text);
  }
}

}  // namespace compmond::ui
