// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "snapshot/doubt.h"
#include "text/clean.h"
#include "text/numbers.h"
#include "ui/kit/draw.h"
#include "ui/model/inside_link.h"
#include "ui/model/switching.h"
#include "ui/views/map/map_frame.h"
#include "ui/views/shared/definitions.h"
#include "ui/views/shared/estimated.h"
#include "ui/views/shared/slo.h"

namespace compmond::ui {

void box_tooltip(const MapFrame& frame, size_t node) {
  const auto& component = frame.component(node);
  const auto& f = component.figures;
  const std::string off = off_text(frame.model, component);
  std::string text;
  if (const snapshot::Estimated* of = estimated_of(component)) {
    text = component.operations.empty()
               ? "with all inside:\n"
               : fmt::format("hotness  {} by {}\n", text::hotness(f.hotness),
                             frame.model.snapshot->metric);
    text += estimate_words(*of, frame.model.snapshot->health.samples);
    if (f.seen && !component.operations.empty())
      text += fmt::format("\ncalls  {}{}", calls_text(f),
                          estimated_calls(f) ? std::string() : observed_text(f));
  } else if (frame.scene.boxes[node].empty() || component.operations.empty()) {
    text = fmt::format("real (net), with all inside  {}\ncalls of all inside  {}",
                       text::duration(double(shown_real_ns(component.subtree))),
                       text::count(component.subtree.calls));
  } else if (only_counted(component)) {
    text = fmt::format("{} calls, {}{}; times are not taken", calls_text(f), at_least_mark(f),
                       text::per_second(frame.seconds > 0 ? double(f.calls) / frame.seconds : 0));
  } else {
    text = fmt::format(
        "real (net)  {}{}, hotness {} by {}\nraw  {}\ncalls  {}{}, {}{}, {} open\n"
        "raw of one  mean {}, p99 {}, max {}{}",
        text::duration(shown_real_ns(f)),
        f.waiting_ns > 0 ? ", waiting " + text::duration(double(f.waiting_ns)) : "",
        text::hotness(f.hotness), frame.model.snapshot->metric, raw_text(f), calls_text(f),
        observed_text(f), at_least_mark(f),
        text::per_second(frame.seconds > 0 ? double(f.calls) / frame.seconds : 0),
        text::count(f.open), raw_single_text(f, f.mean_ns), raw_single_text(f, f.p99_ns),
        f.max_ns > 0 ? at_least_mark(f) : "", raw_single_text(f, f.max_ns));
  }
  if (const std::string missed = missed_text(component); !missed.empty())
    text += "\n" + missed;
  else if (component.figures.slo)
    text += "\nall within the objective of " + objective_text(component);
  if (const std::string part = off_in_part_text(*frame.model.snapshot, component); !part.empty())
    text += "\n" + part;
  if (!off.empty())
    text = off + (is_idle(f)           ? std::string()
                  : times_estimated(f) ? ", of its samples:\n" + text
                                       : ", before:\n" + text);
  if (!frame.doubts[node].empty()) text += "\n" + frame.doubts[node];
  tooltip(
      frame.canvas.theme, text::clean(component.name), text,
      fmt::format(
          "{}\nDrag to move, {}double click for it and its neighbours alone.",
          definition(estimated_of(component) ? Term::kEstimated : Term::kNetReal).text,
          has_samples(frame.model) ? "double click for the functions inside it, shift and " : ""));
}

// "4,512 samples".
std::string samples_taken(const MapFrame& frame) {
  const auto& samples = frame.model.snapshot->health.samples;
  return text::count(samples ? samples->taken : 0) + " samples";
}

void edge_tooltip(const MapFrame& frame, size_t edge) {
  const layout::MapEdge& e = frame.graph.edges[edge];
  const snapshot::Edge* figures = frame.calls[edge];
  const std::string title = text::clean(frame.component(size_t(e.from)).name) + " → " +
                            text::clean(frame.component(size_t(e.to)).name);
  const bool sampled = figures && !figures->seen;
  const std::string doubt =
      figures ? doubt_of_none(*frame.model.snapshot, *figures) : std::string();
  const bool off = frame.off[size_t(e.from)] || frame.off[size_t(e.to)];
  std::string text = off             ? "no call seen: an end of it is switched off"
                     : doubt.empty() ? "no call in this window"
                                     : doubt;
  if (sampled && figures->estimated)
    text =
        fmt::format("raw  {}\n{}", interval_text(*figures->estimated, &snapshot::Estimated::raw_ns),
                    samples_text(*figures->estimated));
  else if (figures && figures->count > 0)
    text = fmt::format("{0}{1} calls, {0}{2}\nraw  {0}{3}, mean {4}",
                       misses_calls(*frame.model.snapshot, *figures) ? "≥" : "",
                       text::count(figures->count), text::per_second(rate_of(frame, edge)),
                       text::duration(double(figures->raw_ns)),
                       text::duration(double(figures->raw_ns) / double(figures->count)));
  const EdgeKind kind = kind_of(frame, edge);
  std::string meaning(definition(sampled ? Term::kEdgeEstimated : Term::kEdgeCount).text);
  if (kind == EdgeKind::kUndeclared) meaning = "Seen, but not among the connections of the spec.";
  if (kind == EdgeKind::kQuiet)
    meaning = taken_elsewhere(frame, edge)
                  ? "Calls took this way in another window that was looked at."
                  : "Calls took this way between what its ends contain.";
  if (kind == EdgeKind::kNeverSeen)
    meaning = sampled
                  ? "A connection of the spec that no sample met: calls may be too short or too "
                    "rare for it."
              : doubt.empty() && !off
                  ? "A connection of the spec that no call has taken, in any window looked at."
                  : "A connection of the spec: calls may have taken it while nobody saw them.";
  tooltip(frame.canvas.theme, title, text, meaning);
}

}  // namespace compmond::ui
