// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "core/limits.h"
#include "history/context_ring.h"
#include "history/edge_table.h"
#include "history/execution_ring.h"
#include "history/histogram.h"
#include "history/loss_list.h"
#include "history/objectives.h"
#include "history/summaries.h"
#include "history/sums.h"
#include "history/thread_table.h"
#include "history/tiles.h"
#include "history/violations.h"
#include "record/event.h"
#include "trace/execution.h"

namespace compmond::history {

using trace::OperationId;
using trace::ThreadId;

// Everything about one operation since start, closed executions only unless said otherwise.
struct OperationTotals : Sums {
  Histogram raw;  // of single raw times, entry-only executions left out (as in min_ns and max_ns)
  uint64_t orphan_exits = 0;  // trace::Ledger, of this operation
};

// By operation, since start.
struct Counts {
  std::vector<uint64_t> calls, cheap_exits, stays;  // as in the totals
};

// A consistent picture of the store at one moment, copied out by the writer between two batches of
// events. The accounting equations hold exactly within it. Immutable; keep it as long as you like.
struct Checkpoint {
  uint64_t start_ns = 0;  // when observation began
  uint64_t as_of_ns = 0;  // "now": open executions count up to here
  std::vector<OperationTotals> operations;
  std::vector<EdgeTotals> edges;  // sorted by (caller, callee)
  std::vector<ThreadTotals>
      threads;  // by id; kOlderThreads first, where the oldest were folded into one row
  std::vector<Loss> losses;  // by time
  std::vector<trace::OpenExecution> open;
  Violations violations;
  trace::Ledger trace;
  record::Ledger capture;
  uint64_t first_execution = 0;  // retained executions are [first_execution, end_execution)
  uint64_t end_execution = 0;
  uint64_t complete_since_ns =
      0;  // 0: all are retained; else every execution that ended after this is retained in full
};

// Who a thread is; zeros where it is so old that it was folded into one row with others.
const record::ThreadInfo& thread_info(const Checkpoint& checkpoint, ThreadId id);

// The time-indexed store: exact totals since start, tiles at powers of four from 1 ms, and the
// newest executions in full within a memory budget. One writer (the sink's thread); readers on any
// thread, never blocking and never waited for: executions and tiles live in chunks with a published
// size, totals travel in checkpoints.
class Store : public trace::ExecutionSink {
 public:
  struct Options {
    size_t operations = 0;
    uint64_t start_ns = 0;
    // For retained executions and their summaries; what arguments said has an eighth more, where
    // anything is said.
    size_t budget_bytes = limits::kHistoryBytes;
    Objectives objectives = {};
  };
  explicit Store(Options options);
  ~Store() override;

  // Writer.
  void on_context(uint64_t trace_id, uint32_t eoi, const trace::Context& context) override;
  void on_begin(const trace::Begun& execution) override;
  void on_top(OperationId op, uint64_t from_ns, uint64_t to_ns) override;
  void on_closed(const trace::Execution& execution) override;
  void on_whole(const trace::Execution& execution) override;
  void on_orphan(OperationId op) override;
  void on_thread(ThreadId thread, const record::ThreadInfo& info);
  // `records` lost at some time in [from_ns, to_ns]; 0: it is not known how many.
  void on_loss(uint64_t from_ns, uint64_t to_ns, uint64_t records);
  // Fills everything but `open`, `trace`, `capture` and `as_of_ns`, which the caller knows.
  void fill(Checkpoint& checkpoint) const;
  Counts counts() const;

  // Readers. Calls `visit(const trace::Execution&)` for each retained execution numbered [first,
  // end) that may overlap [from_ns, to_ns); skips whole chunks that cannot. Order: as closed.
  // Executions evicted meanwhile are skipped; the result tells how many.
  using Scan = ExecutionRing::Counts;
  template <class Visit>
  Scan scan(uint64_t first, uint64_t end, uint64_t from_ns, uint64_t to_ns, Visit&& visit) const {
    const auto each = [](void* context, std::span<const trace::Execution> executions) {
      auto& call = *static_cast<std::remove_reference_t<Visit>*>(context);
      for (const trace::Execution& execution : executions) call(execution);
    };
    return scan_spans(first, end, from_ns, to_ns, each,
                      const_cast<void*>(static_cast<const void*>(&visit)));
  }
  // The retained executions numbered [first, end), in the order in which they closed, whole
  // stretches of them as summaries where the visitor can use these: cheap for any number of them.
  // Readers wait for each other here, not for the writer. Evicted executions are left out.
  void walk(uint64_t first, uint64_t end, Visitor& visitor) const;
  // As in Checkpoint, but of this moment.
  uint64_t complete_since_ns() const;

  // What arguments said of executions.
  const ContextRing& contexts() const;

  // One tile column: what an operation did during [start, start + width). Time of the execution
  // that is on top is in no tile before the next event of its thread.
  using Tile = history::Tile;
  // Sums per pixel: splits [from_ns, to_ns) into `columns` equal parts, each answered from the
  // finest level of tiles that still holds it and is not finer than needed. Cost depends on
  // `columns`, not on the length of the run. The columns add up to the whole; a bound inside a tile
  // counts that tile in proportion.
  std::vector<Tile> tiles(OperationId op, uint64_t from_ns, uint64_t to_ns, size_t columns) const;
  // The whole of [from_ns, to_ns), its bounds as exact as the tiles that still hold them (1 ms at
  // best).
  Tile tile_sum(OperationId op, uint64_t from_ns, uint64_t to_ns) const;
  // Likewise, how many executions that missed the operation's objective ended there.
  std::vector<uint64_t> violations(OperationId op, uint64_t from_ns, uint64_t to_ns,
                                   size_t columns) const;
  uint64_t violation_sum(OperationId op, uint64_t from_ns, uint64_t to_ns) const;

  // Of everything here but small constants.
  size_t memory_bytes() const;

 private:
  Scan scan_spans(uint64_t first, uint64_t end, uint64_t from_ns, uint64_t to_ns,
                  ExecutionRing::Visit each, void* context) const;

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace compmond::history
