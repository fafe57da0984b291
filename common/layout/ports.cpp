// SPDX-License-Identifier: Apache-2.0
#include "layout/ports.h"

#include <algorithm>
#include <cmath>

#include "layout/route.h"

namespace compmond::layout {

using geometry::Pt;
using geometry::Rect;

namespace {

constexpr double kOfDistance = 0.62;  // the height of one at most, so that ports do not touch

Rect around(Pt middle, double inside, double outside, double height, Interface side) {
  const bool left = side == Interface::kIn;
  return {middle.x - (left ? outside : inside), middle.y - height / 2,
          middle.x + (left ? inside : outside), middle.y + height / 2};
}

}  // namespace

Ports ports_on(const Rect& box, Interface side, size_t count, const PortStyle& style) {
  if (count == 0) return {};
  const Pt middle = side == Interface::kIn ? in_port(box) : out_port(box);
  const double half = style.width / 2;
  const double apart = std::min(style.apart, (box.height() - 2 * style.corner) / double(count));
  if (count > 1 && apart < style.least_apart)
    return {{around(middle, half, style.folded_width - half, style.folded_height, side)}, true};
  const double height = count > 1 ? std::min(style.height, kOfDistance * apart) : style.height;
  Ports out;
  for (size_t i = 0; i < count; ++i) {
    const double below = (double(i) - double(count - 1) / 2) * apart;
    out.places.push_back(around(middle + Pt{0, below}, half, half, height, side));
  }
  return out;
}

int port_at(const Ports& ports, Pt at, double reach) {
  int found = -1;
  for (size_t i = 0; i < ports.places.size(); ++i) {
    const Rect& place = ports.places[i];
    const double away = std::hypot(std::max({place.x0 - at.x, 0.0, at.x - place.x1}),
                                   std::max({place.y0 - at.y, 0.0, at.y - place.y1}));
    if (away >= reach) continue;
    reach = away;
    found = int(i);
  }
  return found;
}

}  // namespace compmond::layout
