// SPDX-License-Identifier: Apache-2.0
#include "snapshot/heat_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "text/numbers.h"

namespace compmond::snapshot {
namespace {

double window_ns(const Snapshot& snapshot) { return double(known_window(snapshot).length()); }

// As a share of a CPU; empty: there is none.
std::string floor_share(const Snapshot& snapshot) {
  const double length = window_ns(snapshot);
  if (!snapshot.heat || snapshot.heat->floor <= 0 || length <= 0) return {};
  return text::percent(100 * snapshot.heat->floor / length) + " of a CPU";
}

std::string value_of(const Snapshot& snapshot, double value) {
  switch (ranked_figure(snapshot)) {
    case RankedFigure::kCalls:
      return text::counted(uint64_t(std::llround(value)), "call");
    case RankedFigure::kMissed:
      return fmt::format("{} missed", text::count(uint64_t(std::llround(value))));
    case RankedFigure::kOfWall:
    case RankedFigure::kDeviation:
      return share_of_window(snapshot, value) + " of " + text::duration(window_ns(snapshot));
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

RankedFigure ranked_figure(const Snapshot& snapshot) {
  return snapshot.heat ? snapshot.heat->ranks.known().value_or(RankedFigure::kReal)
                       : RankedFigure::kReal;
}

std::string share_of_window(const Snapshot& snapshot, double ns) {
  const double length = window_ns(snapshot);
  return text::percent(length > 0 ? 100 * ns / length : 0);
}

std::string heat_text(const Snapshot& snapshot) {
  if (!snapshot.heat) return "hotness 100";
  if (snapshot.heat->full > 0) return "hotness 100 = " + value_of(snapshot, snapshot.heat->full);
  const std::string share = floor_share(snapshot);
  return share.empty() ? "nothing is hot" : "nothing above " + share;
}

std::string floor_text(const Snapshot& snapshot) {
  const std::string share = floor_share(snapshot);
  return share.empty() || snapshot.heat->full <= 0 ? "" : fmt::format("below {}: no heat", share);
}

}  // namespace compmond::snapshot
