// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "geometry/shapes.h"

// What part of a drawing a view shows. Screen positions are pixels from the view's upper left
// corner.
namespace compmond::geometry {

struct Camera {
  double zoom = 1;  // pixels per layout unit
  Pt origin;        // the layout point at the view's upper left corner
  bool operator==(const Camera&) const = default;
  Pt screen(Pt layout) const { return (layout - origin) * zoom; }
  Pt layout(Pt screen) const { return origin + screen * (1 / zoom); }
  Rect screen(const Rect& layout) const;
};

// Shows all of `bounds` in the middle of `area` (in pixels), as large as `max_zoom` allows.
Camera fitted(const Rect& bounds, const Rect& area, double max_zoom);
// Closer (factor > 1) or further away; the point under `at` (pixels) stays there.
Camera zoomed(const Camera& camera, double factor, Pt at, double min_zoom, double max_zoom);
// On the way from one to the other, share 0 to 1; zooms evenly.
Camera between(const Camera& from, const Camera& to, double share);

}  // namespace compmond::geometry
