// SPDX-License-Identifier: Apache-2.0
#include "ui/views/map/map_frame.h"

#include <cmath>

#include "snapshot/estimate_text.h"
#include "text/numbers.h"
#include "ui/views/shared/estimated.h"

namespace compmond::ui {

bool met(const snapshot::Edge& edge) {
  return edge.seen ? edge.count > 0 : edge.estimated.has_value();
}

bool taken_elsewhere(const MapFrame& frame, size_t edge) {
  const layout::MapEdge& ends = frame.graph.edges[edge];
  return !(frame.calls[edge] && met(*frame.calls[edge])) &&
         frame.model.taken.contains(
             {frame.component(size_t(ends.from)).name, frame.component(size_t(ends.to)).name});
}

EdgeKind kind_of(const MapFrame& frame, size_t edge) {
  const snapshot::Edge* figures = frame.calls[edge];
  if (!figures) return EdgeKind::kQuiet;
  if (!met(*figures)) return taken_elsewhere(frame, edge) ? EdgeKind::kQuiet : EdgeKind::kNeverSeen;
  return figures->declared || !frame.any_declared ? EdgeKind::kCalled : EdgeKind::kUndeclared;
}

double rate_of(const MapFrame& frame, size_t edge) {
  const snapshot::Edge* figures = frame.calls[edge];
  return figures && frame.seconds > 0 ? double(figures->count) / frame.seconds : 0;
}

double weight_of(const MapFrame& frame, size_t edge) {
  const snapshot::Edge* figures = frame.calls[edge];
  if (!figures || figures->seen) return 0.85 * std::log10(1 + rate_of(frame, edge));
  if (!figures->estimated || !figures->estimated->raw_ns || frame.seconds <= 0) return 0;
  return 1.3 * std::log10(1 + figures->estimated->raw_ns->value_ns / 1e6 / frame.seconds);
}

std::string label_of(const MapFrame& frame, size_t edge) {
  const snapshot::Edge* figures = frame.calls[edge];
  return figures && figures->estimated
             ? value_text(*figures->estimated, &snapshot::Estimated::raw_ns)
             : text::per_second(rate_of(frame, edge));
}

}  // namespace compmond::ui
