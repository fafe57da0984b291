// SPDX-License-Identifier: Apache-2.0
#include "ui/views/map_frame.h"

namespace compmond::ui {

ImVec2 MapFrame::screen(layout::Pt at) const {
  const layout::Pt p = camera.screen(at);
  return {canvas.min.x + float(p.x), canvas.min.y + float(p.y)};
}

bool MapFrame::visible(const layout::Rect& rect) const {
  const layout::Rect on_screen = camera.screen(rect);
  return on_screen.overlaps({-20, -20, canvas.width() + 20.0, canvas.height() + 20.0});
}

EdgeKind kind_of(const MapFrame& frame, size_t edge) {
  const snapshot::Edge* figures = frame.calls[edge];
  if (!figures || figures->count == 0) return EdgeKind::kNeverSeen;
  return figures->declared || !frame.any_declared ? EdgeKind::kCalled : EdgeKind::kUndeclared;
}

double rate_of(const MapFrame& frame, size_t edge) {
  const snapshot::Edge* figures = frame.calls[edge];
  return figures && frame.seconds > 0 ? double(figures->count) / frame.seconds : 0;
}

}  // namespace compmond::ui
