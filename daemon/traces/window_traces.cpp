// SPDX-License-Identifier: Apache-2.0
#include "traces/window_traces.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "figures/call_costs.h"
#include "figures/overlap.h"
#include "traces/assembler.h"

namespace compmond::traces {
namespace {

using trace::Execution;

constexpr uint64_t kBlock = 65'536;  // executions copied at once: 4 MiB

// The first execution of a trace closes last: reading backwards it comes before all others.
bool is_first(const Execution& e) { return e.eoi == 0 && e.ess == 0; }

// Takes executions in the reverse order in which they closed, and puts traces together.
class Gathering {
 public:
  explicit Gathering(const RunOperations& operations) : operations_(operations) {}

  void begin_trace(const Execution& first) {
    number_of_.emplace(first.trace_id, uint32_t(known_.size()));
    known_.push_back({first.trace_id, first.start_ns});
    latest_ = uint32_t(known_.size() - 1);
  }
  // Whether it belongs to a trace that was begun; else it is not taken.
  bool take(const Execution& e) {
    if (known_.empty()) return false;
    if (known_[latest_].id != e.trace_id) {
      const auto at = number_of_.find(e.trace_id);
      if (at == number_of_.end()) return false;
      latest_ = at->second;
    }
    Known& known = known_[latest_];
    ++known.executions;
    known.lossy |= e.reason == trace::Closed::kLossy;
    taken_.push_back(e);
    belongs_.push_back(latest_);
    return true;
  }
  // Traces that began before `since_ns` are left out, and `out` is partial: executions of them may
  // not have been given. Those that began before `retained_ns` are broken for the same reason.
  void finish(uint64_t since_ns, uint64_t retained_ns, WindowTraces& out) {
    std::vector<std::vector<TracedExecution>> parts(known_.size());
    for (size_t i = 0; i < known_.size(); ++i)
      if (known_[i].start_ns >= std::max(since_ns, retained_ns) && !known_[i].lossy)
        parts[i].resize(known_[i].executions);
    for (size_t i = 0; i < taken_.size(); ++i) {
      auto& part = parts[belongs_[i]];
      // Beyond the others something is missing: then its own place shows as a gap.
      if (taken_[i].eoi < part.size()) part[taken_[i].eoi] = traced(taken_[i]);
    }
    for (size_t i = known_.size(); i-- > 0;) {
      if (known_[i].start_ns < since_ns) {
        out.partial = true;
        continue;
      }
      Trace trace;
      if (parts[i].empty() || build_trace(parts[i], trace)) {
        ++out.broken;
        continue;
      }
      trace.id = int64_t(known_[i].id);
      out.traces.push_back(std::move(trace));
    }
  }

 private:
  struct Known {
    uint64_t id, start_ns;
    uint32_t executions = 0;
    bool lossy = false;
  };
  TracedExecution traced(const Execution& e) const {
    TracedExecution out;
    out.trace_id = int64_t(e.trace_id);
    out.start_ns = e.start_ns;
    out.end_ns = e.end_ns;
    out.operation = operations_.numbers[e.op];
    const auto program = operations_.programs.find(e.thread);
    if (!operations_.program_of.empty())
      out.program = operations_.program_of[e.op];
    else
      out.program =
          program == operations_.programs.end() ? operations_.other_program : program->second;
    out.thread = e.thread;
    out.eoi = int32_t(e.eoi);
    out.ess = e.ess;
    out.failed = e.reason != trace::Closed::kReturned;
    const figures::CallCost cost = figures::cost_of(operations_.model, e);
    out.inside_ns = float(cost.inside_ns);
    out.outside_ns = float(cost.outside_ns);
    return out;
  }

  const RunOperations& operations_;
  std::vector<Known> known_;  // those that ended last first
  std::unordered_map<uint64_t, uint32_t> number_of_;
  uint32_t latest_ = 0;
  std::vector<Execution> taken_;
  std::vector<uint32_t> belongs_;  // of the taken ones
};

// The part of the history that matters; grows with the traces that reach out of it.
struct Span {
  uint64_t low_ns, high_ns;
  bool cover(const Execution& e) {
    const Span before = *this;
    low_ns = std::min(low_ns, e.start_ns);
    high_ns = std::max(high_ns, e.end_ns == UINT64_MAX ? e.end_ns : e.end_ns + 1);
    return low_ns != before.low_ns || high_ns != before.high_ns;
  }
};

void read(const history::Store& store, uint64_t begin, uint64_t end, const Span& span,
          std::vector<Execution>& out) {
  out.clear();
  store.scan(begin, end, span.low_ns, span.high_ns, [&](const Execution& e) {
    if (e.end_ns >= span.low_ns && e.start_ns < span.high_ns) out.push_back(e);
  });
}

// Reads [first, end) of the checkpoint backwards, block by block: what overlaps `span`, which
// `look(block, span)` may widen where it returns true; then `take(execution)` for each, the newest
// first, until that returns false.
template <class Look, class Take>
void read_backwards(const history::Store& store, const history::Checkpoint& checkpoint, Span span,
                    Look look, Take take) {
  std::vector<Execution> block;
  for (uint64_t end = checkpoint.end_execution; end > checkpoint.first_execution;) {
    const uint64_t begin = end - std::min(kBlock, end - checkpoint.first_execution);
    read(store, begin, end, span, block);
    if (look(block, span)) read(store, begin, end, span, block);
    for (size_t i = block.size(); i-- > 0;)
      if (!take(block[i])) return;
    end = begin;
  }
}

}  // namespace

WindowTraces window_traces(const history::Store& store, const history::Checkpoint& checkpoint,
                           const RunOperations& operations, Window window, size_t most) {
  WindowTraces out;
  const Window open_ended = figures::without_end(window, checkpoint);
  for (const trace::OpenExecution& e : checkpoint.open)
    out.unfinished += e.eoi == 0 && e.ess == 0 && e.start_ns < open_ended.end_ns;

  Gathering gathering(operations);
  size_t looked_at = 0;
  uint64_t since_ns = 0;  // not looked at: what ended before
  read_backwards(
      store, checkpoint, {open_ended.start_ns, open_ended.end_ns},
      [&](const std::vector<Execution>& block, Span& span) {
        bool wider = false;
        for (const Execution& e : block)
          if (is_first(e) && figures::overlaps(e, open_ended)) wider |= span.cover(e);
        return wider;
      },
      [&](const Execution& e) {
        if (looked_at >= most) {
          // Threads hand over what they did some milliseconds apart: the newest of a whole block
          // tells where the rest ends.
          since_ns = std::max(since_ns, e.end_ns);
          return ++looked_at < most + kBlock;
        }
        ++looked_at;
        if (is_first(e) && figures::overlaps(e, open_ended)) gathering.begin_trace(e);
        gathering.take(e);
        return true;
      });
  const uint64_t retained_ns = store.complete_since_ns();
  gathering.finish(since_ns, retained_ns, out);
  out.analysed_since_ns = std::max(since_ns, retained_ns);
  out.partial |= window.start_ns < out.analysed_since_ns;
  if (!out.partial) out.analysed_since_ns = 0;
  return out;
}

WindowTraces retained_trace(const history::Store& store, const history::Checkpoint& checkpoint,
                            const RunOperations& operations, uint64_t trace_id, size_t most) {
  WindowTraces out;
  for (const trace::OpenExecution& e : checkpoint.open)
    out.unfinished |= uint64_t(e.trace_id == trace_id);
  if (out.unfinished > 0) return out;

  Gathering gathering(operations);
  std::optional<Execution> first;
  size_t taken = 0;
  read_backwards(
      store, checkpoint, {0, UINT64_MAX},
      [&](const std::vector<Execution>& block, Span& span) {
        if (first) return false;
        const auto found = std::ranges::find_if(
            block, [&](const Execution& e) { return e.trace_id == trace_id && is_first(e); });
        if (found == block.end()) return false;
        first = *found;
        gathering.begin_trace(*found);
        span = {found->start_ns, found->end_ns + 1};
        return true;
      },
      [&](const Execution& e) {
        if (first && gathering.take(e)) ++taken;
        return taken <= most;
      });
  if (taken > most)
    out.partial = true;
  else
    gathering.finish(0, store.complete_since_ns(), out);
  return out;
}

}  // namespace compmond::traces
