// SPDX-License-Identifier: Apache-2.0
#include "ui/views/map/map_ports.h"

#include <algorithm>
#include <limits>

#include "layout/graph_pick.h"
#include "text/numbers.h"
#include "ui/kit/draw.h"
#include "ui/model/switching.h"
#include "ui/views/map/box_words.h"

namespace compmond::ui {
namespace {

// Design pixels.
constexpr double kWidth = 8, kHeight = 11, kFoldedHeight = 20, kCorner = 7;
// Closer they look like a comb; in a small box somewhat closer, where each can be pointed at.
constexpr double kLeastApart = 10.5, kLeastApartSmall = 7.5;
constexpr double kBesideCount = 2.5, kReach = 2;
constexpr float kJoint = 2;  // thickness of what joins the ports of a side

// So short that it stays on the canvas where all is fitted in.
std::string count_text(size_t interfaces) {
  return interfaces < 1000 ? text::count(interfaces) : "1k+";
}

// From where all of a box's words are there: smaller, it would be the loudest thing on the map.
bool says_count(const MapFrame& frame) { return box_detail(frame.zoom()) >= BoxDetail::kFull; }

layout::PortStyle style_of(const MapFrame& frame, size_t interfaces) {
  const double zoom = frame.zoom(), size = std::min(1.0, zoom) / zoom;
  layout::PortStyle style;
  style.width = style.folded_width = kWidth * size;
  style.height = style.folded_height = kHeight * size;
  style.corner = kCorner * size;
  style.least_apart = std::clamp(kLeastApart * zoom, kLeastApartSmall, kLeastApart) / zoom;
  if (box_detail(frame.zoom()) == BoxDetail::kName) {
    style.least_apart = std::numeric_limits<double>::infinity();  // one is enough, far away
    return style;
  }
  style.folded_height = kFoldedHeight * size;
  if (!says_count(frame)) return style;
  ImFont* font = frame.canvas.theme.small;
  const ImVec2 count = text_size(font, count_text(interfaces));
  const double pixel = 1 / frame.camera.zoom, beside = 2 * kBesideCount / zoom;
  style.folded_width = std::max(style.width, count.x * pixel + beside);
  style.folded_height = std::max(style.folded_height, count.y * pixel + beside);
  return style;
}

bool is_unseen(const snapshot::Operation* operation) {
  return is_refused(*operation) || is_off(*operation);
}

void draw_side(const MapFrame& frame, size_t node, Interface side) {
  const Theme& theme = frame.canvas.theme;
  ImDrawList* list = frame.canvas.list;
  const auto& [interfaces, ports] = side_of(frame, node, side);
  const float small = std::min(1.0f, frame.zoom());
  const bool found = frame.model.found(frame.component(node).name);
  const ImU32 ink = found ? theme.dim : mix(theme.background, theme.dim, kDimmed);
  if (ports.places.size() > 1) {
    // Lines end at the middle, where an even number leaves a gap.
    const ImVec2 from = frame.screen(ports.places.front().centre()),
                 to = frame.screen(ports.places.back().centre());
    list->AddLine(from, to, ink, frame.canvas.px(kJoint) * small);
  }
  for (size_t i = 0; i < ports.places.size(); ++i) {
    const geometry::Rect& place = ports.places[i];
    const ImVec2 min = frame.screen({place.x0, place.y0}), max = frame.screen({place.x1, place.y1});
    const float rounding = frame.canvas.px(2) * small;
    const bool hollow =
        !interfaces.empty() &&
        (ports.folded ? std::ranges::all_of(interfaces, is_unseen) : is_unseen(interfaces[i]));
    const ImU32 line = frame.hovered_port == PortPlace{node, side, i} ? theme.strong : ink;
    list->AddRectFilled(min, max, hollow ? theme.background : line, rounding);
    if (hollow) list->AddRect(min, max, line, rounding, 0, frame.canvas.px(1));
    if (ports.folded && says_count(frame))
      draw_text_centred(list, theme.small, {(min.x + max.x) / 2, (min.y + max.y) / 2},
                        hollow ? line : theme.background, count_text(interfaces.size()));
  }
}

}  // namespace

BoxSide side_of(const MapFrame& frame, size_t node, Interface side) {
  BoxSide out;
  const geometry::Rect& box = frame.scene.boxes[node];
  if (box.empty() || box_detail(frame.zoom()) == BoxDetail::kColour) return out;
  for (const auto& operation : frame.component(node).operations)
    if ((operation.interface == Interface::kIn) == (side == Interface::kIn))
      out.interfaces.push_back(&operation);
  const LineEnds& ends = frame.ends[node];
  const bool has_lines = side == Interface::kIn ? ends.in : ends.out;
  const size_t count = out.interfaces.empty() && has_lines ? 1 : out.interfaces.size();
  out.ports = layout::ports_on(box, side, count, style_of(frame, count));
  return out;
}

void draw_ports(const MapFrame& frame, size_t node) {
  for (const Interface side : {Interface::kIn, Interface::kOut}) draw_side(frame, node, side);
}

double covered_by_ports(const MapFrame& frame, size_t node) {
  const BoxSide of = side_of(frame, node, Interface::kIn);
  return of.ports.places.empty() ? 0 : frame.scene.boxes[node].x0 - of.ports.places.front().x0;
}

std::vector<geometry::Rect> numbered_ports(const MapFrame& frame) {
  std::vector<geometry::Rect> out;
  if (!says_count(frame)) return out;
  for (size_t n = 0; n < frame.scene.boxes.size(); ++n)
    for (const Interface side : {Interface::kIn, Interface::kOut})
      if (const BoxSide of = side_of(frame, n, side); frame.shown[n] && of.ports.folded)
        out.push_back(of.ports.places.front());
  return out;
}

std::optional<PortPlace> port_at(const MapFrame& frame, geometry::Pt at) {
  const double reach = kReach / frame.zoom();
  const auto of = [&](size_t node) -> std::optional<PortPlace> {
    for (const Interface side : {Interface::kIn, Interface::kOut}) {
      const int found = layout::port_at(side_of(frame, node, side).ports, at, reach);
      if (found >= 0) return PortPlace{node, side, size_t(found)};
    }
    return std::nullopt;
  };
  if (const int box = layout::box_at(frame.scene, frame.shown, at); box >= 0)
    return of(size_t(box));
  for (size_t n = frame.scene.boxes.size(); n-- > 0;)
    if (frame.shown[n] && frame.visible(frame.scene.boxes[n]))
      if (const auto port = of(n)) return port;
  return std::nullopt;
}

}  // namespace compmond::ui
