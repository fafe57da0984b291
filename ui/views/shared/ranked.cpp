// SPDX-License-Identifier: Apache-2.0
#include "ui/views/shared/ranked.h"

#include <fmt/format.h>

#include <cmath>

#include "snapshot/estimate_text.h"
#include "text/numbers.h"
#include "ui/views/shared/estimated.h"

namespace compmond::ui {
namespace {

using snapshot::RankedFigure;

double window_ns(const snapshot::Snapshot& snapshot) {
  return double(known_window(snapshot).length());
}

std::string share_text(const snapshot::Snapshot& snapshot, double ns) {
  const double length = window_ns(snapshot);
  return text::percent(length > 0 ? 100 * ns / length : 0);
}

std::string value_of(const snapshot::Snapshot& snapshot, double value) {
  switch (ranked_figure(snapshot)) {
    case RankedFigure::kCalls:
      return text::counted(uint64_t(std::llround(value)), "call");
    case RankedFigure::kMissed:
      return fmt::format("{} missed", text::count(uint64_t(std::llround(value))));
    case RankedFigure::kOfWall:
    case RankedFigure::kDeviation:
      return share_text(snapshot, value) + " of " + text::duration(window_ns(snapshot));
    case RankedFigure::kOnCpu:
      return fmt::format("{} of {} CPUs", text::rate(value / std::max(1.0, window_ns(snapshot))),
                         std::max(1u, snapshot.host.cpus));
    case RankedFigure::kReal:
      return text::duration(value) + " of " + text::duration(window_ns(snapshot));
    case RankedFigure::kMeanReal:
    case RankedFigure::kLongest:
    case RankedFigure::kP99:
      break;
  }
  return text::duration(value);
}

}  // namespace

RankedFigure ranked_figure(const snapshot::Snapshot& snapshot) {
  return snapshot.heat ? snapshot.heat->ranks.known().value_or(RankedFigure::kReal)
                       : RankedFigure::kReal;
}

std::string_view ranked_name(const snapshot::Snapshot& snapshot) {
  switch (ranked_figure(snapshot)) {
    case RankedFigure::kReal:
      return "real";
    case RankedFigure::kOnCpu:
      return "on CPU";
    case RankedFigure::kOfWall:
      return "of the window";
    case RankedFigure::kDeviation:
      return "deviation";
    case RankedFigure::kMeanReal:
      return "mean real";
    case RankedFigure::kCalls:
      return "calls";
    case RankedFigure::kLongest:
      return "longest raw";
    case RankedFigure::kP99:
      return "p99 raw";
    case RankedFigure::kMissed:
      return "missed";
  }
  return "real";
}

std::string ranked_text(const snapshot::Snapshot& snapshot, const snapshot::Figures& figures) {
  const snapshot::Estimated* of = estimated_of(figures);
  switch (ranked_figure(snapshot)) {
    case RankedFigure::kReal:
      return of ? value_text(*of, &snapshot::Estimated::net_real_ns)
                : text::duration(shown_real_ns(figures));
    case RankedFigure::kOnCpu:
      return figures.estimated ? value_text(*figures.estimated, &snapshot::Estimated::cpu_ns) : "–";
    case RankedFigure::kOfWall:
      return of && !is_value(*of, &snapshot::Estimated::net_real_ns)
                 ? value_text(*of, &snapshot::Estimated::net_real_ns)
                 : share_text(snapshot, figures.ranked);
    case RankedFigure::kDeviation:
      if (!figures.deviation_ns) return "–";
      return (*figures.deviation_ns < 0 ? "−" : "+") + share_text(snapshot, figures.ranked);
    case RankedFigure::kCalls:
    case RankedFigure::kMissed:
      return !figures.seen
                 ? "–"
                 : at_least_mark(figures) + text::count(uint64_t(std::llround(figures.ranked)));
    case RankedFigure::kMeanReal:
    case RankedFigure::kLongest:
    case RankedFigure::kP99:
      break;
  }
  return figures.seen && figures.ranked > 0 ? text::duration(figures.ranked) : "–";
}

std::string heat_text(const snapshot::Snapshot& snapshot) {
  if (!snapshot.heat) return "hotness 100";
  if (snapshot.heat->full > 0) return "hotness 100 = " + value_of(snapshot, snapshot.heat->full);
  const double length = window_ns(snapshot);
  return snapshot.heat->floor > 0 && length > 0
             ? fmt::format("nothing above {} of a CPU",
                           text::percent(100 * snapshot.heat->floor / length))
             : std::string("nothing is hot");
}

}  // namespace compmond::ui
