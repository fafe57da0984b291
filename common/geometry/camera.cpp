// SPDX-License-Identifier: Apache-2.0
#include "geometry/camera.h"

#include <algorithm>
#include <cmath>

namespace compmond::geometry {

Rect Camera::screen(const Rect& layout) const {
  const Pt a = screen(Pt{layout.x0, layout.y0}), b = screen(Pt{layout.x1, layout.y1});
  return {a.x, a.y, b.x, b.y};
}

Camera fitted(const Rect& bounds, const Rect& area, double max_zoom) {
  Camera camera;
  if (bounds.empty() || area.empty()) return camera;
  camera.zoom =
      std::min({max_zoom, area.width() / bounds.width(), area.height() / bounds.height()});
  camera.origin = bounds.centre() - area.centre() * (1 / camera.zoom);
  return camera;
}

Camera zoomed(const Camera& camera, double factor, Pt at, double min_zoom, double max_zoom) {
  Camera result;
  // A view that was fitted outside the limits may stay where it is.
  const double lo = std::min(min_zoom, camera.zoom), hi = std::max(max_zoom, camera.zoom);
  result.zoom = std::clamp(camera.zoom * factor, lo, hi);
  result.origin = camera.layout(at) - at * (1 / result.zoom);
  return result;
}

Camera between(const Camera& from, const Camera& to, double share) {
  const double t = std::clamp(share, 0.0, 1.0);
  return {from.zoom * std::pow(to.zoom / from.zoom, t),
          from.origin + (to.origin - from.origin) * t};
}

}  // namespace compmond::geometry
