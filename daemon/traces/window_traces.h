// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "figures/figures.h"
#include "traces/traced.h"

namespace compmond::traces {

// Traces of a run, from what its history retains. Their ids are those of the history, times are
// CLOCK_MONOTONIC ns, and executions have no session. One that did not return has failed.
struct WindowTraces {
  std::vector<Trace> traces;  // ended, whole; in the order in which they ended
  uint64_t broken = 0;        // ended, but some of their executions are not retained or were lost
  uint64_t unfinished = 0;    // still running
  bool partial = false;       // traces that began before analysed_since_ns may be missing
  uint64_t analysed_since_ns = 0;
};

// What is to be known of a run's operations: which of a Catalogue each is, which program executes
// it, and what its probes cost.
struct RunOperations {
  std::vector<uint32_t> numbers;
  std::unordered_map<trace::ThreadId, uint32_t> programs;  // that its threads execute
  uint32_t other_program = 0;                              // that threads not there execute
  std::vector<uint32_t> program_of;  // by operation, where that tells it; else empty
  figures::Model model;
};

// The traces that overlap the window, whole also where they reach out of it. Of the executions
// there, the `most` that closed last are looked at. Time and memory in proportion to `most`; chunks
// of the history beside the window cost next to nothing.
WindowTraces window_traces(const history::Store& store, const history::Checkpoint& checkpoint,
                           const RunOperations& operations, Window window, size_t most);

// One trace, wherever it is: none or one. Looks through what is retained, from the newest, until it
// is found; `partial` where it has more than `most` executions.
WindowTraces retained_trace(const history::Store& store, const history::Checkpoint& checkpoint,
                            const RunOperations& operations, uint64_t trace_id, size_t most);

}  // namespace compmond::traces
