// SPDX-License-Identifier: Apache-2.0
#include "ui/views/shared/ranked.h"

#include <cmath>

#include "snapshot/doubt.h"
#include "snapshot/estimate_text.h"
#include "text/numbers.h"
#include "ui/views/shared/estimated.h"

namespace compmond::ui {

using snapshot::RankedFigure;

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
                 : (of && of->net_real_ns->at_least ? "≥" : "") +
                       share_of_window(snapshot, figures.ranked);
    case RankedFigure::kDeviation:
      if (!figures.deviation_ns) return "–";
      return (*figures.deviation_ns < 0 ? "−" : "+") + share_of_window(snapshot, figures.ranked);
    case RankedFigure::kCalls:
    case RankedFigure::kMissed:
      return !tells_calls(figures)
                 ? "–"
                 : at_least_mark(figures) + text::count(uint64_t(std::llround(figures.ranked)));
    case RankedFigure::kMeanReal:
    case RankedFigure::kLongest:
    case RankedFigure::kP99:
      break;
  }
  return figures.seen && figures.ranked > 0 ? text::duration(figures.ranked) : "–";
}

}  // namespace compmond::ui
