// SPDX-License-Identifier: Apache-2.0
#include "ui/kit/pan_zoom.h"

#include <algorithm>
#include <cmath>

namespace compmond::ui {
namespace {

constexpr double kGlideSeconds = 0.06;  // time constant of the camera: there in about 200 ms
constexpr double kMaxFit = 1.6;         // a few boxes need not fill a large screen
constexpr double kMinZoom = 0.02, kMaxZoom = 3;

}  // namespace

void PanZoom::step(const geometry::Rect& drawing, const geometry::Rect& area, float scale,
                   double clock_s, const Beginning& begin) {
  const double step = std::clamp(clock_s - clock_s_, 0.0, 0.1);
  const bool first = clock_s_ == 0;
  clock_s_ = clock_s;
  if (fitted_) {
    aim_ = geometry::fitted(drawing, area, kMaxFit * scale);
    if (!all_ && aim_.zoom < begin.least_zoom * scale) {
      aim_.zoom = begin.least_zoom * scale;
      aim_.origin = {drawing.x0 - area.x0 / aim_.zoom, begin.at.y - area.centre().y / aim_.zoom};
    }
  }
  const geometry::Camera before = camera_;
  camera_ = geometry::between(camera_, aim_, first ? 1 : 1 - std::exp(-step / kGlideSeconds));
  const geometry::Pt rest = (camera_.origin - aim_.origin) * camera_.zoom;
  if (length(rest) < 0.5 && std::abs(camera_.zoom / aim_.zoom - 1) < 1e-3) camera_ = aim_;
  gliding_ = camera_ != aim_ || camera_ != before;
}

void PanZoom::wheel(float notches, geometry::Pt at, float scale) {
  aim_ =
      geometry::zoomed(aim_, std::pow(kPerNotch, notches), at, kMinZoom * scale, kMaxZoom * scale);
  fitted_ = false;
  gliding_ = true;
}

void PanZoom::put(geometry::Pt corner) {
  aim_ = camera_;
  aim_.origin = corner;
  camera_ = aim_;
}

}  // namespace compmond::ui
