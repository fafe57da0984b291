// SPDX-License-Identifier: Apache-2.0
#include "ui/views/map/map_frame.h"

namespace compmond::ui {

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
