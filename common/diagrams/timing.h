// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "geometry/axis.h"
#include "protocol/view.h"

// The timing diagram: executions as bars on lifelines, one lifeline per component, time downwards.
// Pure; pixels. What it makes is bounded by the executions given, which the daemon bounds by
// pixels.
namespace compmond::diagrams {

// Shorter than this an execution is not a bar of its own.
inline constexpr double kFoldPx = 3;
// What a fold is high at least, to be seen.
inline constexpr double kLeastFoldPx = 1.5;

struct TimingColumn {
  double x0 = 0, x1 = 0;  // room for the bars of one component
};

struct TimingInput {
  const snapshot::ExecutionsView& view;
  std::vector<int> column_of;  // per operation of the view; -1: not shown
  std::vector<TimingColumn> columns;
  geometry::Axis axis;    // of the height
  double bar_width = 20;  // of a lane, less where many stand side by side
  int64_t thread = -1;    // only executions of this tid; -1: of all
  bool arrows = false;    // make them
};

// One execution.
struct TimingBar {
  uint32_t execution = 0;  // index in the view
  int column = 0, lane = 0;
  int depth = 0;                          // how many of the same component and thread are around it
  double x0 = 0, x1 = 0, y0 = 0, y1 = 0;  // not clipped to the axis
  uint32_t first_wait = 0, waits = 0;     // in TimingLayout::waits
  std::optional<double> y_missed = {};    // where it passed its objective; none: it did not
};

// A part of a bar in which executions nested directly in it ran, for `share` of the time (1: all).
struct TimingWait {
  double y0 = 0, y1 = 0, share = 1;
};

// Executions too short for bars, or folded already by the daemon.
struct TimingFold {
  int column = 0, lane = 0;
  double x0 = 0, x1 = 0, y0 = 0, y1 = 0;
  uint64_t count = 0, raw_ns = 0, real_ns = 0;
  uint64_t start_ns = 0, end_ns = 0;
  int64_t execution = -1;  // the only one; -1: several
  uint32_t operation = 0;  // of the first
  bool one_operation = true;
  bool uncertain = false;   // one of them was closed for another reason than a return
  uint64_t violations = 0;  // of them: missed their objective
  double utilisation = 0;   // share of the time from y0 to y1 in which one of them ran, at most 1
};

// A call from bar to bar, or the return from it; horizontal.
struct TimingArrow {
  uint32_t from = 0, to = 0;  // bars
  double y = 0, x0 = 0, x1 = 0;
  bool returns = false;
};

struct TimingLayout {
  std::vector<TimingBar> bars;  // those around others first
  std::vector<TimingWait> waits;
  std::vector<TimingFold> folds;
  std::vector<TimingArrow> arrows;
  std::vector<int> lanes;  // per column: executions side by side at most
  uint64_t crowded = 0;    // bars and folds that share the last lane for lack of room
};

// Threads whose executions of a component overlap in time stand in lanes side by side. Executions
// outside the axis are left out. n log n in the executions given.
TimingLayout lay_out(const TimingInput& input);

// Per execution of the view the one that it is directly nested in (same thread and trace, one less
// deep, around it), or -1. Sources of the waiting parts and of the arrows.
std::vector<int64_t> callers(const snapshot::ExecutionsView& view);

}  // namespace compmond::diagrams
