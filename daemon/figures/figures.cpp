// SPDX-License-Identifier: Apache-2.0
#include "figures/figures.h"

#include <algorithm>
#include <cmath>

#include "figures/clip.h"
#include "figures/tally.h"
#include "figures/window_figures.h"

namespace compmond::figures {
namespace {

using history::Checkpoint;
using history::Store;
using trace::OpenExecution;

Result whole_run(const Checkpoint& checkpoint, const Model& model, Window window,
                 const Sieve& sieve, const std::vector<uint64_t>& cut_raw_ns = {}) {
  Tallies tallies(model, checkpoint);
  for (OperationId op = 0; op < tallies.operations() && op < checkpoint.operations.size(); ++op) {
    if (!sieve.operation(op)) continue;
    tallies.operation(op).add(checkpoint.operations[op]);
    tallies.operation(op).ended = checkpoint.operations[op].raw;
  }
  tallies.add_all(checkpoint, sieve);
  for (const OpenExecution& open : checkpoint.open) {
    const uint64_t raw = since(open.start_ns, checkpoint.as_of_ns);
    tallies.add_thread(open.thread, {0, open.caller == trace::kNoOperation ? raw : 0});
    if (!sieve.operation(open.op)) continue;
    Tally& tally = tallies.operation(open.op);
    ++tally.open;
    tally.violating_now += model.objectives.missed(open.op, raw);
    ++tally.executions;
    tally.sums.took_outermost(open.flags, raw);
    tally.real_ns += real_so_far(open, checkpoint.as_of_ns);
    tallies.add_edge(open.caller, open.op, history::EdgeSums::of(0, open.flags, raw));
  }
  return tallies.finish(window, sieve, cut_raw_ns);
}

// Calls and real times of a window that begins before the retained executions. What the probes cost
// is taken to be the same per call as in the whole run.
void add_tiles(Tallies& tallies, const Store& store, const Checkpoint& checkpoint,
               const Model& model, Window window, const Sieve& sieve) {
  tallies.forget_nested();
  const uint64_t end = std::min(window.end_ns, checkpoint.as_of_ns);
  const std::vector<double> nested = nested_cost(call_costs(model, checkpoint), checkpoint.edges);
  for (OperationId op = 0; op < tallies.operations() && op < checkpoint.operations.size(); ++op) {
    if (!sieve.operation(op)) continue;
    const Store::Tile tile = store.tile_sum(op, window.start_ns, end);
    const history::OperationTotals& totals = checkpoint.operations[op];
    Tally& tally = tallies.operation(op);
    tally.sums.calls = tile.calls;
    tally.real_ns = tile.real_ns;
    tally.sums.violations = store.violation_sum(op, window.start_ns, end);
    const double part = totals.calls > 0 ? double(tile.calls) / double(totals.calls) : 0;
    tally.sums.entry_only = uint64_t(std::llround(part * double(totals.entry_only)));
    tally.correction_ns = part * nested[op];
  }
  for (const OpenExecution& open : checkpoint.open)
    if (open.on_top && sieve.operation(open.op))
      tallies.operation(open.op).real_ns += clipped(open.on_top_since_ns, end, window);
}

}  // namespace

Window last_seconds(const Checkpoint& checkpoint, double seconds, uint64_t until_ns) {
  const uint64_t end = std::min(checkpoint.as_of_ns, until_ns);
  const Window whole{checkpoint.start_ns, std::max(checkpoint.start_ns, end)};
  const double run = double(whole.end_ns - whole.start_ns);
  if (!(seconds > 0) || seconds * 1e9 >= run) return whole;
  return {whole.end_ns - uint64_t(seconds * 1e9), whole.end_ns};
}

Result figures(const Store& store, const Checkpoint& checkpoint, const Model& model, Window window,
               const Filter& filter) {
  const Sieve sieve(model, filter);
  const bool whole = window.start_ns <= checkpoint.start_ns && window.end_ns >= checkpoint.as_of_ns;
  const bool from_totals = whole && sieve.by_operation_only();
  if (from_totals && !sieve.cuts()) return whole_run(checkpoint, model, window, sieve);

  WindowFigures from_executions(checkpoint, model, window, sieve);
  store.walk(checkpoint.first_execution, checkpoint.end_execution, from_executions);
  from_executions.add_open();
  // Executions may have been evicted since the checkpoint, and between the look and the scan.
  const bool partial = window.start_ns < store.complete_since_ns();
  const std::vector<uint64_t> cut_raw_ns = from_executions.cut_raw_ns();
  if (from_totals) {
    Result result = whole_run(checkpoint, model, window, sieve, cut_raw_ns);
    result.partial = partial;
    return result;
  }
  if (partial && sieve.by_operation_only())
    add_tiles(from_executions.tallies(), store, checkpoint, model, window, sieve);
  Result result = from_executions.tallies().finish(window, sieve, cut_raw_ns);
  result.partial = partial;
  return result;
}

}  // namespace compmond::figures
