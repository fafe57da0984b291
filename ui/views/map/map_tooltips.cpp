// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "ui/kit/draw.h"
#include "ui/kit/format.h"
#include "ui/views/map/map_frame.h"
#include "ui/views/shared/definitions.h"
#include "ui/views/shared/slo.h"

namespace compmond::ui {

void box_tooltip(const MapFrame& frame, size_t node) {
  const auto& component = frame.component(node);
  const auto& f = component.figures;
  std::string text;
  if (frame.scene.boxes[node].empty() || component.operations.empty()) {
    text = fmt::format("real (net), with all inside  {}\ncalls of all inside  {}",
                       duration_text(double(component.subtree.net_real_ns)),
                       count_text(component.subtree.calls));
  } else if (counts_only(component)) {
    text = fmt::format("{} calls, {}; times are not taken", count_text(f.calls),
                       rate_text(frame.seconds > 0 ? double(f.calls) / frame.seconds : 0));
  } else {
    text = fmt::format(
        "real (net)  {}, hotness {} by {}\nraw  {}\ncalls  {}, {}, {} open\n"
        "raw of one  mean {}, p99 {}, max {}",
        duration_text(double(f.net_real_ns)), hotness_text(f.hotness), frame.model.snapshot->metric,
        duration_text(double(f.raw_ns)), count_text(f.calls),
        rate_text(frame.seconds > 0 ? double(f.calls) / frame.seconds : 0), count_text(f.open),
        duration_text(double(f.mean_ns)), duration_text(double(f.p99_ns)),
        duration_text(double(f.max_ns)));
  }
  if (const std::string missed = missed_text(component); !missed.empty())
    text += "\n" + missed;
  else if (component.figures.slo)
    text += "\nall within the objective of " + objective_text(component);
  if (!frame.doubts[node].empty()) text += "\n" + frame.doubts[node];
  tooltip(frame.canvas.theme, clean(component.name), text,
          fmt::format("{}\nDrag to move, double click for it and its neighbours alone.",
                      definition(Term::kNetReal).text));
}

void edge_tooltip(const MapFrame& frame, size_t edge) {
  const layout::MapEdge& e = frame.graph.edges[edge];
  const snapshot::Edge* figures = frame.calls[edge];
  const std::string title = clean(frame.component(size_t(e.from)).name) + " → " +
                            clean(frame.component(size_t(e.to)).name);
  std::string text = "no call in this window";
  if (figures && figures->count > 0)
    text = fmt::format("{} calls, {}\nraw  {}, mean {}", count_text(figures->count),
                       rate_text(rate_of(frame, edge)), duration_text(double(figures->raw_ns)),
                       duration_text(double(figures->raw_ns) / double(figures->count)));
  const EdgeKind kind = kind_of(frame, edge);
  std::string meaning(definition(Term::kEdgeCount).text);
  if (kind == EdgeKind::kUndeclared) meaning = "Seen, but not among the connections of the spec.";
  if (kind == EdgeKind::kNeverSeen) meaning = "A connection of the spec that no call has taken.";
  tooltip(frame.canvas.theme, title, text, meaning);
}

}  // namespace compmond::ui
