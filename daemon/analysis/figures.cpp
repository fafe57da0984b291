// SPDX-License-Identifier: Apache-2.0
#include "analysis/figures.h"

#include <algorithm>
#include <cmath>

#include "analysis/clip.h"
#include "analysis/tally.h"

namespace compmond::analysis {
namespace {

using history::Checkpoint;
using history::Store;
using trace::Execution;
using trace::OpenExecution;

uint64_t since(uint64_t from_ns, uint64_t to_ns) { return to_ns > from_ns ? to_ns - from_ns : 0; }

uint64_t whole_real(const OpenExecution& open, uint64_t now_ns) {
  return open.own_ns + (open.on_top ? since(open.on_top_since_ns, now_ns) : 0);
}

// The part of an execution in the window, whether it is closed or still open.
struct Part {
  OperationId op, caller;
  uint32_t thread;
  uint8_t flags;
  uint64_t whole_raw_ns, raw_ns, real_ns;
  bool begun, overlaps;
};

void count(Tallies& tallies, const Sieve& sieve, const Part& part) {
  if (sieve.thread(part.thread))
    tallies.add_thread(part.thread, part.begun,
                       part.caller == trace::kNoOperation ? part.raw_ns : 0);
  if (part.begun && sieve.passes(part.caller, part.thread, 0))
    tallies.add_nested(part.caller, part.op, 1);
  if (!sieve.passes(part.op, part.thread, part.whole_raw_ns)) return;
  const bool timed = !(part.flags & trace::kEntryOnly);
  Tally& tally = tallies.operation(part.op);
  tally.figures.calls += part.begun;
  tally.figures.truncated += part.begun && (part.flags & trace::kTruncated);
  tally.timed_calls += part.begun && timed;
  tally.figures.executions += part.overlaps && timed;
  if (part.flags & trace::kOutermostOfOperation) tally.figures.raw_ns += part.raw_ns;
  if (part.flags & trace::kOutermostOfComponent) tally.component_raw_ns += part.raw_ns;
  tally.figures.real_ns += part.real_ns;
  tallies.add_edge(part.caller, part.op, part.begun, part.raw_ns);
}

// Figures of any window from single executions.
class WindowFigures {
 public:
  WindowFigures(const Checkpoint& checkpoint, const Model& model, Window window, const Sieve& sieve)
      : checkpoint_(checkpoint), window_(window), sieve_(sieve), tallies_(model, checkpoint) {
    if (window_.end_ns >= checkpoint.as_of_ns) window_.end_ns = UINT64_MAX;
  }

  void operator()(const Execution& e) {
    if (e.op >= tallies_.operations()) return;
    const bool timed = !(e.flags & trace::kEntryOnly);
    const uint64_t raw = e.end_ns - e.start_ns;
    Part part{e.op,
              e.caller,
              e.thread,
              e.flags,
              raw,
              0,
              0,
              inside(e.start_ns),
              inside(e.start_ns) || e.start_ns < window_.start_ns};
    if (timed) {
      part.raw_ns = clipped(e.start_ns, e.end_ns, window_);
      const uint64_t nested = nested_.take(e.thread, e.trace_id, e.ess + 1u);
      const bool whole = e.start_ns >= window_.start_ns && e.end_ns <= window_.end_ns;
      part.real_ns = whole ? raw - e.nested_ns : since(nested, part.raw_ns);
      nested_.add(e.thread, e.trace_id, e.ess, part.raw_ns);
      part.overlaps = part.overlaps && (e.end_ns > window_.start_ns || part.begun);
    }
    count(tallies_, sieve_, part);
    if (inside(e.end_ns) && sieve_.passes(e.op, e.thread, raw)) end(e, timed, raw);
  }

  void add_open() {
    const auto& open = checkpoint_.open;
    const uint64_t now = checkpoint_.as_of_ns;
    for (size_t i = 0; i < open.size(); ++i) {
      const OpenExecution& e = open[i];
      if (e.op >= tallies_.operations()) continue;
      const bool begins_before_end = e.start_ns < window_.start_ns || inside(e.start_ns);
      Part part{e.op,
                e.caller,
                e.thread,
                e.flags,
                since(e.start_ns, now),
                clipped(e.start_ns, now, window_),
                0,
                inside(e.start_ns),
                begins_before_end && now >= window_.start_ns};
      uint64_t nested = nested_.take(e.thread, e.trace_id, e.ess + 1u);
      if (i + 1 < open.size() && open[i + 1].trace_id == e.trace_id &&
          open[i + 1].ess == e.ess + 1u)
        nested += clipped(open[i + 1].start_ns, now, window_);
      const bool whole = e.start_ns >= window_.start_ns && now <= window_.end_ns;
      part.real_ns = whole ? whole_real(e, now) : since(nested, part.raw_ns);
      count(tallies_, sieve_, part);
      if (part.overlaps && sieve_.passes(e.op, e.thread, part.whole_raw_ns))
        ++tallies_.operation(e.op).figures.open;
    }
  }

  Tallies& tallies() { return tallies_; }
  const Window& window() const { return window_; }

 private:
  bool inside(uint64_t ns) const {
    return ns >= window_.start_ns && (ns < window_.end_ns || window_.end_ns == UINT64_MAX);
  }
  void end(const Execution& e, bool timed, uint64_t raw) {
    Tally& tally = tallies_.operation(e.op);
    ++tally.figures.closed[int(e.reason)];
    if (!timed) return;
    tally.figures.min_ns = std::min(tally.figures.min_ns, raw);
    tally.figures.max_ns = std::max(tally.figures.max_ns, raw);
    tally.ended_raw_ns += raw;
    tally.ended.add(raw);
  }

  const Checkpoint& checkpoint_;
  Window window_;
  const Sieve& sieve_;
  Tallies tallies_;
  NestedParts nested_;
};

void add_totals(Tally& tally, const history::OperationTotals& totals) {
  Figures& figures = tally.figures;
  figures.calls = totals.calls;
  figures.truncated = totals.truncated;
  figures.raw_ns = totals.outer_raw_ns;
  figures.real_ns = totals.raw_ns - totals.nested_ns;
  figures.executions = totals.raw.count();
  figures.min_ns = totals.min_ns;
  figures.max_ns = totals.max_ns;
  std::copy(std::begin(totals.closed), std::end(totals.closed), std::begin(figures.closed));
  tally.component_raw_ns = totals.component_raw_ns;
  tally.timed_calls = totals.calls - totals.entry_only;
  tally.ended_raw_ns = totals.raw_ns;
  tally.ended = totals.raw;
}

Result whole_run(const Checkpoint& checkpoint, const Model& model, Window window,
                 const Sieve& sieve) {
  Tallies tallies(model, checkpoint);
  for (OperationId op = 0; op < tallies.operations() && op < checkpoint.operations.size(); ++op)
    if (sieve.operation(op)) add_totals(tallies.operation(op), checkpoint.operations[op]);
  for (const history::EdgeTotals& edge : checkpoint.edges) {
    if (sieve.operation(edge.caller)) tallies.add_nested(edge.caller, edge.callee, edge.calls);
    if (sieve.operation(edge.callee))
      tallies.add_edge(edge.caller, edge.callee, edge.calls, edge.raw_ns);
  }
  for (const history::ThreadTotals& thread : checkpoint.threads)
    tallies.add_thread(thread.thread, thread.calls, thread.bottom_raw_ns);
  for (const OpenExecution& open : checkpoint.open) {
    const uint64_t raw = since(open.start_ns, checkpoint.as_of_ns);
    tallies.add_thread(open.thread, 0, open.caller == trace::kNoOperation ? raw : 0);
    if (!sieve.operation(open.op)) continue;
    Tally& tally = tallies.operation(open.op);
    ++tally.figures.open;
    ++tally.figures.executions;
    if (open.flags & trace::kOutermostOfOperation) tally.figures.raw_ns += raw;
    if (open.flags & trace::kOutermostOfComponent) tally.component_raw_ns += raw;
    tally.figures.real_ns += whole_real(open, checkpoint.as_of_ns);
    tallies.add_edge(open.caller, open.op, 0, raw);
  }
  return tallies.finish(window);
}

// Calls and real times of a window that begins before the retained executions. What the probes cost
// is taken to be the same per call as in the whole run.
void add_tiles(Tallies& tallies, const Store& store, const Checkpoint& checkpoint,
               const Model& model, Window window, const Sieve& sieve) {
  const uint64_t end = std::min(window.end_ns, checkpoint.as_of_ns);
  std::vector<double> nested_cost(tallies.operations());
  for (const history::EdgeTotals& edge : checkpoint.edges)
    if (edge.caller < nested_cost.size() && edge.callee < model.outside_ns.size())
      nested_cost[edge.caller] += model.outside_ns[edge.callee] * double(edge.calls);
  for (OperationId op = 0; op < tallies.operations() && op < checkpoint.operations.size(); ++op) {
    if (!sieve.operation(op)) continue;
    const Store::Tile tile = store.tile_sum(op, window.start_ns, end);
    const history::OperationTotals& totals = checkpoint.operations[op];
    Tally& tally = tallies.operation(op);
    tally.figures.calls = tile.calls;
    tally.figures.real_ns = tile.real_ns;
    const double part = totals.calls > 0 ? double(tile.calls) / double(totals.calls) : 0;
    tally.timed_calls = uint64_t(std::llround(part * double(totals.calls - totals.entry_only)));
    tally.correction_ns = part * nested_cost[op];
  }
  for (const OpenExecution& open : checkpoint.open)
    if (open.on_top && sieve.operation(open.op))
      tallies.operation(open.op).figures.real_ns += clipped(open.on_top_since_ns, end, window);
}

}  // namespace

Window last_seconds(const Checkpoint& checkpoint, double seconds) {
  const Window whole{checkpoint.start_ns, std::max(checkpoint.start_ns, checkpoint.as_of_ns)};
  const double run = double(whole.end_ns - whole.start_ns);
  if (!(seconds > 0) || seconds * 1e9 >= run) return whole;
  return {whole.end_ns - uint64_t(seconds * 1e9), whole.end_ns};
}

Result figures(const Store& store, const Checkpoint& checkpoint, const Model& model, Window window,
               const Filter& filter) {
  const Sieve sieve(model, filter);
  const bool whole = window.start_ns <= checkpoint.start_ns && window.end_ns >= checkpoint.as_of_ns;
  if (whole && sieve.by_operation_only()) return whole_run(checkpoint, model, window, sieve);

  WindowFigures from_executions(checkpoint, model, window, sieve);
  store.scan(checkpoint.first_execution, checkpoint.end_execution, window.start_ns,
             from_executions.window().end_ns, from_executions);
  from_executions.add_open();
  // Executions may have been evicted since the checkpoint, and between the look and the scan.
  const bool partial = window.start_ns < store.complete_since_ns();
  if (partial && sieve.by_operation_only())
    add_tiles(from_executions.tallies(), store, checkpoint, model, window, sieve);
  Result result = from_executions.tallies().finish(window);
  result.partial = partial;
  return result;
}

}  // namespace compmond::analysis
