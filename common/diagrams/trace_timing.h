// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "diagrams/trace_steps.h"
#include "geometry/axis.h"
#include "geometry/shapes.h"

// The executions of one trace over its time: a row per operation, ordered by first start. Pure;
// pixels. Bounded by the steps given.
namespace compmond::diagrams {

// Narrower than this an execution is not a bar of its own.
inline constexpr double kNarrowPx = 2;

struct TraceBar {
  uint32_t step = 0;
  int row = 0;
  int depth = 0;  // executions of the same operation around it
  double x0 = 0, x1 = 0;
  uint32_t first_wait = 0, waits = 0;  // in TraceTimingLayout::waits
};

// A part of a bar in which it waited for an execution that it called.
struct TraceWait {
  double x0 = 0, x1 = 0;
};

// Narrow neighbours of a row.
struct TraceFold {
  int row = 0;
  double x0 = 0, x1 = 0;
  uint64_t count = 0, raw_ns = 0, real_ns = 0, start_ns = 0, end_ns = 0;
  uint32_t step = 0;  // the first
  bool failed = false;
};

// From the row of the caller to the row of what it calls, at the moment of the call.
struct TraceCall {
  uint32_t step = 0;  // that is called
  int from = 0, to = 0;
  double x = 0;
};

struct TraceTimingLayout {
  std::vector<uint32_t> rows;  // operations, as the answer numbers them
  std::vector<TraceBar> bars;  // those around others first
  std::vector<TraceWait> waits;
  std::vector<TraceFold> folds;
  std::vector<TraceCall> calls;  // between bars
};

// What lies outside the axis is left out, but every operation has its row. What is narrower than
// `narrow_px` is folded.
TraceTimingLayout lay_out_trace_timing(const TraceSteps& trace, const geometry::Axis& axis,
                                       double narrow_px = kNarrowPx);

// Where rows and what is on them stand, downwards from the first row's top.
struct TraceRows {
  double height = 34, bar = 18;    // of a row, of a bar on it
  double inset = 3, thinnest = 6;  // a bar inside another of its row is that much smaller, to here
  TraceRows scaled(double by) const;
  double top(size_t row) const { return double(row) * height; }
  geometry::Rect box(const TraceBar& bar) const;
  geometry::Rect box(const TraceFold& fold) const;
  // From the edge of the caller's bar to that of what it calls.
  struct Ends {
    double y0 = 0, y1 = 0;
  };
  Ends ends(const TraceCall& call) const;
};

}  // namespace compmond::diagrams
