// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "diagrams/trace_steps.h"
#include "geometry/shapes.h"

// A trace as a UML sequence diagram: a lifeline per component, messages one below the other in the
// order of control flow. Pure; layout units, y grows down from 0. Bounded by the steps given.
namespace compmond::diagrams {

struct SequenceStyle {
  double call = 26, back = 13;  // height of a call's and of a return's row
  bool fold = true;             // calls that repeat one after the other are drawn once
};

struct SequenceMessage {
  uint32_t step = 0;  // that is called, or returns
  bool returns = false;
  int from = -1, to = -1;            // lifelines; -1: outside
  int from_depth = 0, to_depth = 0;  // of their activations, see below
  double y = 0;
};

// An execution on its lifeline.
struct SequenceActivation {
  uint32_t step = 0;
  int lifeline = 0;
  int depth = 0;  // activations of the same lifeline below it
  double y0 = 0, y1 = 0;
};

// Calls of one caller, directly after each other, with the same control flow inside: the first of
// them is drawn, from y0 to y1.
struct SequenceLoop {
  uint32_t step = 0;                            // the first of them
  uint32_t count = 0;                           // at least 2
  uint64_t raw_ns = 0, min_ns = 0, max_ns = 0;  // of all of them
  int first = 0, last = 0;                      // lifelines that they touch
  int nesting = 0;                              // loops around it
  double y0 = 0, y1 = 0;
};

struct SequenceLayout {
  std::vector<std::string> lifelines;           // components, in the order of their first call
  std::vector<SequenceMessage> messages;        // by y
  std::vector<SequenceActivation> activations;  // by y0
  std::vector<SequenceLoop> loops;              // by y0
  double height = 0;
  uint64_t folded = 0;  // steps that are not drawn

  // What follows is across, and follows `column`: the distance between lifelines.
  double column = 150;
  double width() const;
  double line_x(int lifeline) const;
  // A side of an activation; nested ones of one lifeline stand a little to the right.
  double edge_x(int lifeline, int depth, bool right) const;
  double from_x(const SequenceMessage& message) const;
  double to_x(const SequenceMessage& message) const;
  geometry::Rect box(const SequenceActivation& activation) const;
  geometry::Rect box(const SequenceLoop& loop) const;
  // From its caller to what it calls, or back: two points, or out of its lifeline and back in four.
  std::vector<geometry::Pt> path(const SequenceMessage& message) const;
  // Where a call's name is written, above its line: over the part beside the caller, since further
  // on there are other lifelines.
  struct Room {
    double x = 0, width = 0;
  };
  Room label(const SequenceMessage& call) const;
};

// How much of the hue an execution gets, 0 to 1: by its own part of the trace's time, so that where
// the time goes is seen without reading.
double own_share(uint64_t real_ns, uint64_t trace_ns);

SequenceLayout lay_out_sequence(const TraceSteps& trace, const SequenceStyle& style);

}  // namespace compmond::diagrams
