// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/window.h"
#include "history/store.h"

// From the history to the figures of a window. Pure: no I/O, no clock.
namespace compmond::figures {

using trace::OperationId;

// The last `seconds` before the checkpoint's now, or before `until_ns` where that is earlier; the
// whole run up to there when seconds <= 0 (interval filter "last n seconds").
Window last_seconds(const history::Checkpoint& checkpoint, double seconds,
                    uint64_t until_ns = UINT64_MAX);

// What analysis needs to know of the plan.
struct Model {
  std::vector<int> component_of;  // per operation
  std::vector<int> parent_of;     // per component, -1 at the top
  std::vector<double> inside_ns;  // probe cost per operation (plan::Cost)
  std::vector<double> outside_ns;
  std::vector<double> cheap_less_ns, left_inside_less_ns, left_outside_less_ns, stay_ns;  // or none
  history::Objectives objectives;
  std::vector<char> waits = {};      // per operation: what it takes is waiting; empty: none does
  std::vector<char> corrected = {};  // likewise: its costs are not those measured (plan::Costs)
  bool raw_costs = false;            // net real times are to be real times: nothing is taken out
};

// Filters beside the window; empty vectors let everything pass. They say which executions are
// counted; an execution that passes keeps its real time, whether or not those nested in it pass.
struct Filter {
  std::vector<int> components;  // with the components that they contain
  std::vector<uint32_t> threads;
  std::vector<OperationId> operations;
  uint64_t min_duration_ns = 0;  // of the whole raw time, not of its part in the window

  bool any() const {
    return !components.empty() || !threads.empty() || !operations.empty() || min_duration_ns > 0;
  }
};

// Figures of an operation or a component in a window (formulas: docs/snapshot.md).
struct Figures {
  uint64_t calls = 0;   // executions begun in the window
  uint64_t open = 0;    // executions open at the window's end, even where they ended since
  uint64_t raw_ns = 0;  // clipped; of outermost executions only (recursion is not counted twice)
  uint64_t real_ns = 0;
  uint64_t net_real_ns = 0;  // real - inside*calls - outside*directly nested calls, not below 0
  bool uncertain = false;    // the correction is larger than a third of real_ns, or a tenth where
                             // its costs were corrected
  uint64_t executions = 0;   // overlapping the window, entry-only ones left out
  uint64_t mean_ns = 0, min_ns = 0, max_ns = 0, p50_ns = 0, p90_ns = 0,
           p99_ns = 0;              // raw, of executions that ended in it
  uint64_t uncertain_below_ns = 0;  // shorter ones are to more than a third what probes cost
  uint64_t closed[trace::kClosedReasons] = {};  // ended in the window
  uint64_t truncated = 0;
  uint64_t unsure_ns = 0;   // by how much real_ns may be off, as ends are known within bounds only
  uint64_t violations = 0;  // ended in the window, having missed their objective
  uint64_t unseen_violations = 0;  // of these: their ends were not seen
  uint64_t violating_now = 0;      // of open: above their objective at the window's end
  bool sampled = false;  // real and CPU times are estimated from samples, of all others is nothing
  uint64_t cpu_ns = 0;   // of the real time on a CPU, where there are samples
  // Net real time beyond what its share of an earlier time would be in this window; none: nothing
  // to compare with.
  std::optional<double> deviation_ns = std::nullopt;
};

// Calls begun in the window, raw times clipped.
struct Edge : history::EdgeSums {
  int from = -1;  // component, -1: outside
  int to = 0;
};

struct ThreadFigures {
  record::ThreadInfo info;
  uint64_t calls = 0;
  uint64_t raw_ns = 0;  // of bottom-of-stack executions
};

struct Result {
  Window window;
  std::vector<Figures> operations;
  std::vector<Figures> components;  // of the component's own operations
  // The same of operations and components without what waits by the spec: what metrics rank.
  std::vector<Figures> working_operations, working;
  std::vector<Figures> subtrees;  // of the component with all it contains: calls, real_ns,
                                  // net_real_ns, open, uncertain
  std::vector<Edge> edges;        // sorted by (from, to); a component's calls to itself are none
  std::vector<ThreadFigures> threads;  // those with calls or time; filtered by thread only
  // True when part of the window is older than the retained executions: calls, real times
  // and violations then come from tiles; raw times, percentiles, edges, threads and what was open
  // at the window's end cover only what is retained. A tile that an edge of the window lies in
  // counts in proportion: at each edge at most what happened in that tile is wrong, which is 1 ms
  // wide while tiles of that width are held for its time, then 4, 16, … ms.
  bool partial = false;
};

// A time belongs to a window when start <= time < end; one that ends at the checkpoint's now or
// later has no end. An execution clipped by the window has real = clipped raw - sum of the clipped
// raw times of the directly nested ones. A component's raw time is that of its
// outermost executions that pass the filter. The whole run comes from totals, exactly, whatever is
// retained; any other window from the retained executions with exact clipping. Open
// executions count up to the checkpoint's now.
Result figures(const history::Store& store, const history::Checkpoint& checkpoint,
               const Model& model, Window window, const Filter& filter = {});

}  // namespace compmond::figures
