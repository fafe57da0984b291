// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "traces/traced.h"

namespace compmond::traces {

// An execution of one of several traces.
struct ExecutionPlace {
  int32_t trace = -1;      // position among the traces; -1: none
  int32_t execution = -1;  // position in it
  bool operator==(const ExecutionPlace&) const = default;
};

// What of a thread's trace goes into a linked trace as a whole: an execution with a trace id that
// no other one with a trace id is below, or one that takes what was given, with all above it; or
// what is left of the trace.
struct TracePart {
  int32_t trace = 0;                // position among the traces
  std::vector<int32_t> executions;  // positions in it, in order
  // The execution that the first one is a child of: the give of what it takes; the innermost one
  // with the same trace id that was open on another thread when it began; or one on another host
  // that would have been if its clock were up to a second off.
  ExecutionPlace parent;
  uint32_t linked = 0;  // number of the linked trace that it belongs to
};

struct TraceParts {
  std::vector<TracePart> parts;
  uint32_t linked = 0;  // number of linked traces
};

// Splits the traces of threads and says which parts belong together: a part and the one that its
// parent is in; parts in which the same trace id occurs (a pointer only joins by `parent`, as it
// may mean something else later). A take belongs to the latest give of its value before it, and a
// give has one take at most.
TraceParts split_traces(const std::vector<Trace>& traces);

}  // namespace compmond::traces
