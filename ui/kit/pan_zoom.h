// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "geometry/camera.h"

namespace compmond::ui {

constexpr double kPerNotch = 1.2;  // of the wheel: closer by this, wherever it zooms
constexpr float kDragAfter = 4;    // design pixels; less is a click

// Where to begin when all of a drawing would be too small to be read: at its left, with this point
// in the middle of the height.
struct Beginning {
  double least_zoom = 0;  // without the screen's scale; 0: whatever the size, all
  geometry::Pt at;
};

// The part of a drawing that is looked at. Shows all of it until somebody zooms or moves; glides
// there. Positions are pixels from the canvas' corner; `scale` is the theme's.
class PanZoom {
 public:
  // Once per frame: all of `drawing` in `area`, where nobody has chosen anything else.
  void step(const geometry::Rect& drawing, const geometry::Rect& area, float scale, double clock_s,
            const Beginning& begin = {});
  void fit() { fitted_ = all_ = true; }  // all, however small
  void begin_again() { fitted_ = true, all_ = false; }
  void hold() { fitted_ = false; }
  void wheel(float notches, geometry::Pt at, float scale);
  // With this layout point at the canvas' corner, without gliding.
  void put(geometry::Pt corner);
  geometry::Pt corner() const { return aim_.origin; }
  const geometry::Camera& camera() const { return camera_; }
  bool gliding() const { return gliding_; }

 private:
  geometry::Camera camera_, aim_;
  bool fitted_ = true;  // until somebody zooms or moves
  bool all_ = false;    // it was asked for, however small
  bool gliding_ = false;
  double clock_s_ = 0;
};

}  // namespace compmond::ui
