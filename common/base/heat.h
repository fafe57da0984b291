// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/words.h"

// The words for what makes a component hot, which analysis, snapshots and requests share.
namespace compmond {

// The figure that a metric ranks by. kReal: without what waits by the spec.
enum class RankedFigure : uint8_t {
  kReal,
  kOnCpu,
  kOfWall,     // kReal as a share of the window's length
  kDeviation,  // of that share from what it was before
  kMeanReal,
  kCalls,
  kLongest,
  kP99,
  kMissed
};
constexpr auto words(RankedFigure) {
  return word_table<RankedFigure>({{RankedFigure::kReal, "real"},
                                   {RankedFigure::kOnCpu, "on-cpu"},
                                   {RankedFigure::kOfWall, "of-wall"},
                                   {RankedFigure::kDeviation, "deviation"},
                                   {RankedFigure::kMeanReal, "mean-real"},
                                   {RankedFigure::kCalls, "calls"},
                                   {RankedFigure::kLongest, "maximum"},
                                   {RankedFigure::kP99, "p99"},
                                   {RankedFigure::kMissed, "missed"}});
}

// What hotness 100 is: the largest of the window, the largest of the run so far (of amounts: in as
// much time), or a thread that does nothing else.
enum class HeatScale : uint8_t { kWindow, kRun, kWall };
constexpr auto words(HeatScale) {
  return word_table<HeatScale>(
      {{HeatScale::kWindow, "window"}, {HeatScale::kRun, "run"}, {HeatScale::kWall, "wall"}});
}

}  // namespace compmond
