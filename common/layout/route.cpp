// SPDX-License-Identifier: Apache-2.0
#include "layout/route.h"

#include <algorithm>
#include <cmath>

namespace compmond::layout {

using geometry::Curve;
using geometry::OnLine;
using geometry::Pt;
using geometry::Rect;

namespace {

constexpr double kClearance = 7;  // between a line and a box that it passes
constexpr double kChannel = 16;   // from a box to the line that runs along it
constexpr double kBend = 44;      // how far a line runs out of a port before it turns
constexpr double kReach = 400;    // how far beyond both boxes a detour may lead
constexpr size_t kMaxChannels = 24;
constexpr int kPartsOfAPiece = 12;  // straight parts of a piece when looking for crossings

Curve joined(Curve curve, Pt c1, Pt c2, Pt end) {
  curve.insert(curve.end(), {c1, c2, end});
  return curve;
}

Curve s_curve(Pt a, Pt b) {
  // Backwards, the ports look away from each other: swing out further.
  const double reach =
      b.x > a.x ? std::max(kBend / 2, (b.x - a.x) / 2) : std::min(240.0, kBend + (a.x - b.x) / 2);
  return {a, {a.x + reach, a.y}, {b.x - reach, b.y}, b};
}

// Out of one port, along the height `y`, into the other port.
Curve detour(Pt a, Pt b, double y) {
  const bool forward = b.x - a.x > 3 * kBend;
  const double run_from = forward ? a.x + 1.5 * kBend : a.x;
  const double run_to = forward ? b.x - 1.5 * kBend : b.x;
  const double out = forward ? 0.75 * kBend : kBend;
  Curve curve{a};
  if (forward)
    curve = joined(curve, {a.x + out, a.y}, {run_from - out, y}, {run_from, y});
  else
    curve = joined(curve, {a.x + out, a.y}, {a.x + out, y}, {run_from, y});
  const double third = (run_to - run_from) / 3;
  curve = joined(curve, {run_from + third, y}, {run_to - third, y}, {run_to, y});
  if (forward) return joined(curve, {run_to + out, y}, {b.x - out, b.y}, b);
  return joined(curve, {b.x - out, y}, {b.x - out, b.y}, b);
}

// Where the boxes stand above each other, the sides that face each other.
Curve vertical(const Rect& from, const Rect& to) {
  const double overlap = std::min(from.x1, to.x1) - std::max(from.x0, to.x0);
  if (overlap < std::min(from.width(), to.width()) / 2) return {};
  if (from.y1 > to.y0 && to.y1 > from.y0) return {};
  const bool down = to.y0 >= from.y1;
  const Pt a{from.centre().x, down ? from.y1 : from.y0}, b{to.centre().x, down ? to.y0 : to.y1};
  const double half = (b.y - a.y) / 2;
  return {a, {a.x, a.y + half}, {b.x, b.y - half}, b};
}

struct Scored {
  Curve curve;
  double cost = 0;
};

Scored scored(Curve curve, const Rect& from, const Rect& to, const std::vector<Rect>& near) {
  constexpr double kPerCrossing = 1e6;  // a crossed box is worse than any detour
  const auto line = flattened(curve, kPartsOfAPiece);
  double cost = length(line);
  const Rect around = bounds(curve);
  for (const Rect& box : near) {
    // Its own boxes it may touch, but not run through.
    const bool own = box == from || box == to;
    const Rect wide = box.grown(own ? -3 : kClearance);
    if (around.overlaps(wide) && crosses(line, wide)) cost += kPerCrossing;
  }
  return {std::move(curve), cost};
}

std::optional<Rect> free_place(const std::vector<Pt>& line, double width, double height,
                               const std::vector<Rect>& boxes, const std::vector<Rect>& taken,
                               const std::vector<const std::vector<Pt>*>& lines) {
  constexpr double kShares[] = {0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.18, 0.82};
  constexpr double kGap = 4;  // between a label and its line
  std::optional<Rect> best;
  size_t fewest = lines.size() + 1;
  for (const double share : kShares) {
    const OnLine on = along(line, share);
    for (const double side : {1.0, -1.0}) {
      // To the side of the line, so far that the label just misses its tangent.
      const Pt normal{on.direction.y * side, -on.direction.x * side};
      const Pt at = on.at + normal * (std::abs(normal.x) * width / 2 +
                                      std::abs(normal.y) * height / 2 + kGap);
      const Rect place{at.x - width / 2, at.y - height / 2, at.x + width / 2, at.y + height / 2};
      const auto hit = [&](const Rect& other) { return other.grown(2).overlaps(place); };
      if (std::any_of(boxes.begin(), boxes.end(), hit) ||
          std::any_of(taken.begin(), taken.end(), hit))
        continue;
      const auto crossed = size_t(std::count_if(
          lines.begin(), lines.end(), [&](const auto* other) { return crosses(*other, place); }));
      if (crossed >= fewest) continue;
      fewest = crossed;
      best = place;
    }
    if (fewest == 0) break;
  }
  return best;
}

}  // namespace

Pt out_port(const Rect& box) { return {box.x1, box.centre().y}; }
Pt in_port(const Rect& box) { return {box.x0, box.centre().y}; }

Curve direct(const Rect& from, const Rect& to) {
  Curve down = vertical(from, to);
  return down.empty() ? s_curve(out_port(from), in_port(to)) : down;
}

Curve self_loop(const Rect& box) {
  const double right = box.x1 - std::min(14.0, box.width() / 4);
  const double left = right - std::min(30.0, box.width() / 4);
  const double down = 1.6 * kChannel;
  return {{right, box.y1}, {right, box.y1 + down}, {left, box.y1 + down}, {left, box.y1}};
}

Curve routed(const Rect& from, const Rect& to, const std::vector<Rect>& obstacles) {
  const Rect field = from.joined(to).grown(kReach);
  std::vector<Rect> near{from, to};
  for (const Rect& box : obstacles)
    if (!box.empty() && box.overlaps(field) && box != from && box != to) near.push_back(box);

  Scored best = scored(direct(from, to), from, to, near);
  const auto consider = [&](Curve curve) {
    Scored candidate = scored(std::move(curve), from, to, near);
    if (candidate.cost < best.cost) best = std::move(candidate);
  };
  const double straight = length(flattened(best.curve, kPartsOfAPiece));
  if (best.cost <= straight) return best.curve;

  const Pt a = out_port(from), b = in_port(to);
  consider(s_curve(a, b));
  std::vector<double> channels;
  for (const Rect& box : near) {
    channels.push_back(box.y0 - kChannel);
    channels.push_back(box.y1 + kChannel);
  }
  std::sort(channels.begin(), channels.end());
  channels.erase(std::unique(channels.begin(), channels.end()), channels.end());
  const double middle = (a.y + b.y) / 2;
  std::sort(channels.begin(), channels.end(), [&](double one, double other) {
    return std::abs(one - middle) < std::abs(other - middle);
  });
  channels.resize(std::min(channels.size(), kMaxChannels));
  for (const double y : channels) consider(detour(a, b, y));
  return best.curve;
}

std::vector<std::optional<LabelPlace>> place_labels(
    const std::vector<LabelWish>& wishes, const std::vector<Rect>& boxes,
    const std::vector<const std::vector<Pt>*>& lines) {
  std::vector<std::optional<LabelPlace>> places(wishes.size());
  std::vector<Rect> taken;
  for (size_t i = 0; i < wishes.size(); ++i) {
    const LabelWish& wish = wishes[i];
    if (wish.line->size() < 2) continue;
    if (const auto rect = free_place(*wish.line, wish.width, wish.height, boxes, taken, lines))
      places[i] = {*rect, false};
    else if (wish.short_width > 0)
      if (const auto narrow =
              free_place(*wish.line, wish.short_width, wish.height, boxes, taken, lines))
        places[i] = {*narrow, true};
    if (places[i]) taken.push_back(places[i]->rect);
  }
  return places;
}

}  // namespace compmond::layout
