// SPDX-License-Identifier: Apache-2.0
#include "figures/window_figures.h"

#include <algorithm>

#include "figures/clip.h"

namespace compmond::figures {

using history::Summary;
using history::Take;
using trace::Execution;
using trace::OpenExecution;

namespace {

// The part of an execution in the window, whether it is closed or still open.
struct Part {
  OperationId op, caller;
  uint32_t thread;
  uint16_t flags;
  uint64_t whole_raw_ns, raw_ns, real_ns;
  bool begun, overlaps;
};

void count(Tallies& tallies, const Sieve& sieve, const Part& part) {
  if (sieve.thread(part.thread))
    tallies.add_thread(part.thread,
                       {part.begun, part.caller == trace::kNoOperation ? part.raw_ns : 0});
  if (part.begun && sieve.passes(part.caller, part.thread, 0))
    tallies.add_nested(part.caller, part.op, 1);
  if (!sieve.passes(part.op, part.thread, part.whole_raw_ns)) return;
  Tally& tally = tallies.operation(part.op);
  if (part.begun) tally.sums.begin(part.flags);
  tally.executions += part.overlaps && !(part.flags & trace::kEntryOnly);
  tally.sums.took_outermost(part.flags, part.raw_ns);
  tally.real_ns += part.real_ns;
  tallies.add_edge(part.caller, part.op,
                   history::EdgeSums::of(part.begun, part.flags, part.raw_ns));
}

}  // namespace

Take WindowFigures::wants(const history::Extent& extent) {
  if (extent.max_end_ns < window_.start_ns) return Take::kNothing;
  if (extent.min_start_ns >= window_.end_ns) return Take::kNothing;
  if (!sieve_.by_operation_only() || outermost_) return Take::kSingle;
  return all_end_in_window(extent) || all_end_later(extent) ? Take::kSummary : Take::kSingle;
}

void WindowFigures::on_summary(const history::Extent& extent, const Summary& summary) {
  if (all_end_later(extent)) {
    for (const Summary::Long& e : summary.longs) add(e.execution);
    return;
  }
  add_sums(summary);
  for (const Summary::Long& e : summary.longs) clip(e);
  for (const Summary::Part& part : summary.parts)
    nested_.add(part.thread, part.trace_id, part.depth, part.ns);
}

void WindowFigures::add_open() {
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
    if (i + 1 < open.size() && open[i + 1].trace_id == e.trace_id && open[i + 1].ess == e.ess + 1u)
      nested += clipped(open[i + 1].start_ns, now, window_);
    const bool whole = e.start_ns >= window_.start_ns && now <= window_.end_ns;
    part.real_ns = whole ? real_so_far(e, now) : since(nested, part.raw_ns);
    count(tallies_, sieve_, part);
    if (part.overlaps && sieve_.passes(e.op, e.thread, part.whole_raw_ns)) count_open(e);
  }
  for (size_t i = open.size(); i-- > 0;)
    count_outermost(open[i], since(open[i].start_ns, now), clipped(open[i].start_ns, now, window_));
}

// It is open at the window's end, whether or not it has ended since.
void WindowFigures::count_open(const trace::Begun& e) {
  Tally& tally = tallies_.operation(e.op);
  ++tally.open;
  const uint64_t end_ns = std::min(window_.end_ns, checkpoint_.as_of_ns);
  tally.violating_now += objectives_.missed(e.op, since(e.start_ns, end_ns));
}

void WindowFigures::count_outermost(const trace::Begun& e, uint64_t whole_raw_ns, uint64_t raw_ns) {
  if (!outermost_ || e.op >= component_of_.size()) return;
  if (sieve_.passes(e.op, e.thread, whole_raw_ns))
    outermost_->add(component_of_[e.op], e, raw_ns);
  else if (e.ess == 0)
    outermost_->end_of(e);
}

void WindowFigures::add(const Execution& e) {
  if (e.end_ns < window_.start_ns || e.op >= tallies_.operations()) return;
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
    count_outermost(e, raw, part.raw_ns);
    const bool open = e.start_ns < window_.end_ns && e.end_ns >= window_.end_ns;
    if (open && sieve_.passes(e.op, e.thread, raw)) count_open(e);
  }
  count(tallies_, sieve_, part);
  if (inside(e.end_ns) && sieve_.passes(e.op, e.thread, raw)) end(e, timed, raw);
}

void WindowFigures::add_sums(const Summary& summary) {
  const Summary::Bucket* bucket = summary.buckets.data();
  for (const Summary::Operation& from : summary.operations) {
    const Summary::Bucket* const end = bucket + from.buckets;
    if (sieve_.operation(from.op)) add_row(from, {bucket, end});
    bucket = end;
  }
  tallies_.add_all(summary, sieve_);
}

void WindowFigures::add_row(const Summary::Operation& from,
                            std::span<const Summary::Bucket> buckets) {
  Tally& tally = tallies_.operation(from.op);
  tally.add(from);
  for (const Summary::Bucket bucket : buckets)
    tally.ended.add_bucket(Summary::bucket(bucket), Summary::count(bucket));
}

void WindowFigures::clip(const Summary::Long& given) {
  const Execution& e = given.execution;
  const uint64_t nested = nested_.take(e.thread, e.trace_id, e.ess + 1u) + given.nested_ns;
  if (e.start_ns >= window_.start_ns) return;
  const uint64_t before = window_.start_ns - e.start_ns, raw = e.end_ns - window_.start_ns;
  nested_.add(e.thread, e.trace_id, e.ess, 0 - before);
  tallies_.add_thread(e.thread, {uint64_t(-1), e.caller == trace::kNoOperation ? 0 - before : 0});
  if (sieve_.operation(e.caller)) tallies_.add_nested(e.caller, e.op, uint64_t(-1));
  if (!sieve_.operation(e.op)) return;
  Tally& tally = tallies_.operation(e.op);
  tally.sums.unbegin(e.flags);
  if (raw == 0) --tally.executions;
  tally.sums.took_outermost(e.flags, 0 - before);
  tally.real_ns += since(nested, raw) - (e.end_ns - e.start_ns - e.nested_ns);
  tallies_.add_edge(e.caller, e.op, history::EdgeSums::of(uint64_t(-1), e.flags, 0 - before));
}

void WindowFigures::end(const Execution& e, bool timed, uint64_t raw) {
  Tally& tally = tallies_.operation(e.op);
  tally.sums.end(e);
  if (!timed) return;
  if (objectives_.missed(e)) tally.sums.violate(e.reason);
  tally.sums.took(e.reason, raw);
  tally.sums.unsure_ns += e.unsure_ns;
  tally.ended.add(raw);
}

}  // namespace compmond::figures
