// SPDX-License-Identifier: Apache-2.0
#include "history/store.h"

#include <algorithm>
#include <atomic>
#include <tuple>
#include <utility>

namespace compmond::history {

struct Store::Impl {
  explicit Impl(Options&& given)
      : options(std::move(given)),
        totals(options.operations),
        ring(options.budget_bytes / 4 * 3),
        summaries(ring, options.budget_bytes / 4, options.objectives),
        contexts(options.budget_bytes / limits::kContextShare),
        tiles(options.operations),
        violation_tiles(options.objectives.any() ? options.operations : 0) {}

  // Operations outside the plan are the feeder's mistake; the tracer lets none through.
  bool known(OperationId op) const { return op < totals.size(); }
  void violated(const trace::Execution& execution) {
    totals[execution.op].violate(execution.reason);
    violation_tiles.add_call(execution.op, execution.end_ns);
    violations.add(execution);
  }
  // Returns its raw time.
  uint64_t close(const trace::Execution& execution) {
    OperationTotals& total = totals[execution.op];
    const uint64_t raw = total.close(execution);
    if (!(execution.flags & trace::kEntryOnly)) total.raw.add(raw);
    return raw;
  }
  // Told to readers on other threads, so counted rather than looked up.
  void account() {
    size_t bytes = totals.capacity() * sizeof(OperationTotals) + threads.memory_bytes() +
                   edges.memory_bytes() + violations.memory_bytes();
    for (const OperationTotals& total : totals) bytes += total.raw.memory_bytes();
    totals_bytes.store(bytes, std::memory_order_relaxed);
  }

  Options options;
  std::vector<OperationTotals> totals;
  EdgeTable edges;
  ThreadTable threads;
  LossList losses;
  ExecutionRing ring;
  Summaries summaries;  // what they need in the worst case of few threads and operations
  ContextRing contexts;
  TileLevels tiles;
  Violations violations;
  TileLevels violation_tiles;  // their "calls" are violations, at their ends
  std::atomic<size_t> totals_bytes{0};
};

const record::ThreadInfo& thread_info(const Checkpoint& checkpoint, ThreadId id) {
  static const record::ThreadInfo kNone;
  const auto& threads = checkpoint.threads;
  const bool older = !threads.empty() && threads.front().thread == kOlderThreads;
  const auto begin = threads.begin() + (older ? 1 : 0);
  const auto found = std::ranges::lower_bound(begin, threads.end(), id, {}, &ThreadTotals::thread);
  return found != threads.end() && found->thread == id ? found->info : kNone;
}

Store::Store(Options options) : impl_(std::make_unique<Impl>(std::move(options))) {
  impl_->account();
}
Store::~Store() = default;

void Store::on_thread(ThreadId thread, const record::ThreadInfo& info) {
  impl_->threads.at(thread).info = info;
}

void Store::on_loss(uint64_t from_ns, uint64_t to_ns, uint64_t records) {
  impl_->losses.add(from_ns, to_ns, records);
}

void Store::on_context(uint64_t trace_id, uint32_t eoi, const trace::Context& context) {
  impl_->contexts.add(trace_id, eoi, context);
}

void Store::on_begin(const trace::Begun& execution) {
  if (!impl_->known(execution.op)) return;
  impl_->totals[execution.op].begin(execution.flags);
  ++impl_->edges.at(execution.caller, execution.op).calls;
  ++impl_->threads.at(execution.thread).calls;
  impl_->tiles.add_call(execution.op, execution.start_ns);
}

void Store::on_top(OperationId op, uint64_t from_ns, uint64_t to_ns) {
  impl_->tiles.add_real(op, from_ns, to_ns);
}

void Store::on_closed(const trace::Execution& execution) {
  if (!impl_->known(execution.op)) return;
  const uint64_t raw = impl_->close(execution);
  impl_->edges.at(execution.caller, execution.op) += EdgeSums::of(0, execution.flags, raw);
  if (execution.caller == trace::kNoOperation)
    impl_->threads.at(execution.thread).bottom_raw_ns += raw;
  if (impl_->options.objectives.missed(execution)) impl_->violated(execution);
  impl_->ring.push(execution);
}

void Store::on_whole(const trace::Execution& execution) {
  if (!impl_->known(execution.op)) return;
  impl_->totals[execution.op].begin(execution.flags);
  const uint64_t raw = impl_->close(execution);
  impl_->edges.at(execution.caller, execution.op) += EdgeSums::of(1, execution.flags, raw);
  const bool bottom = execution.caller == trace::kNoOperation;
  impl_->threads.at(execution.thread) += {1, bottom ? raw : 0};
  impl_->tiles.add_whole(execution.op, execution.start_ns, raw - execution.nested_ns);
  if (impl_->options.objectives.missed(execution)) impl_->violated(execution);
  impl_->ring.push(execution);
}

void Store::on_orphan(OperationId op) {
  if (impl_->known(op)) ++impl_->totals[op].orphan_exits;
}

void Store::fill(Checkpoint& checkpoint) const {
  impl_->account();
  checkpoint.start_ns = impl_->options.start_ns;
  checkpoint.operations = impl_->totals;
  checkpoint.edges = impl_->edges.edges();
  std::sort(checkpoint.edges.begin(), checkpoint.edges.end(),
            [](const EdgeTotals& a, const EdgeTotals& b) {
              return std::tie(a.caller, a.callee) < std::tie(b.caller, b.callee);
            });
  checkpoint.threads = impl_->threads.totals();
  checkpoint.losses = impl_->losses.all();
  checkpoint.violations = impl_->violations;
  checkpoint.first_execution = impl_->ring.first();
  checkpoint.end_execution = impl_->ring.end();
  checkpoint.complete_since_ns = impl_->ring.complete_since_ns();
}

Counts Store::counts() const {
  Counts out;
  for (const OperationTotals& total : impl_->totals) {
    out.calls.push_back(total.calls);
    out.cheap_exits.push_back(total.cheap_exits);
    out.stays.push_back(total.stays);
  }
  return out;
}

Store::Scan Store::scan_spans(uint64_t first, uint64_t end, uint64_t from_ns, uint64_t to_ns,
                              ExecutionRing::Visit each, void* context) const {
  return impl_->ring.scan(first, end, from_ns, to_ns, each, context);
}

void Store::walk(uint64_t first, uint64_t end, Visitor& visitor) const {
  impl_->summaries.walk(first, end, visitor);
}

uint64_t Store::complete_since_ns() const { return impl_->ring.complete_since_ns(); }

const ContextRing& Store::contexts() const { return impl_->contexts; }

std::vector<Tile> Store::tiles(OperationId op, uint64_t from_ns, uint64_t to_ns,
                               size_t columns) const {
  return impl_->tiles.columns(op, from_ns, to_ns, columns);
}

Tile Store::tile_sum(OperationId op, uint64_t from_ns, uint64_t to_ns) const {
  return impl_->tiles.sum(op, from_ns, to_ns);
}

std::vector<uint64_t> Store::violations(OperationId op, uint64_t from_ns, uint64_t to_ns,
                                        size_t columns) const {
  std::vector<uint64_t> out;
  for (const Tile& tile : impl_->violation_tiles.columns(op, from_ns, to_ns, columns))
    out.push_back(tile.calls);
  return out;
}

uint64_t Store::violation_sum(OperationId op, uint64_t from_ns, uint64_t to_ns) const {
  return impl_->violation_tiles.sum(op, from_ns, to_ns).calls;
}

size_t Store::memory_bytes() const {
  return impl_->totals_bytes.load(std::memory_order_relaxed) + impl_->ring.memory_bytes() +
         impl_->summaries.memory_bytes() + impl_->contexts.memory_bytes() +
         impl_->tiles.memory_bytes() + impl_->violation_tiles.memory_bytes();
}

}  // namespace compmond::history
