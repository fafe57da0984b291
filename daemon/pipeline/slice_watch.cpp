// SPDX-License-Identifier: Apache-2.0
#include "pipeline/slice_watch.h"

#include <algorithm>
#include <utility>

namespace compmond::pipeline {

using record::Event;
using record::EventKind;

namespace {

// A Call that ended otherwise: how long it was is not known.
constexpr uint64_t kNoReturn = UINT64_MAX;

uint64_t end_of(const trace::Execution& execution) {
  return execution.reason == trace::Closed::kReturned ? execution.end_ns : kNoReturn;
}

bool within(Window slice, uint64_t ns) { return ns >= slice.start_ns && ns < slice.end_ns; }

}  // namespace

SliceWatch::SliceWatch(const std::vector<int>& component_of, Of of, trace::Tracer::Stacks stacks,
                       uint32_t open_exits)
    : of_(std::move(of)), tracer_(component_of, *this, stacks, open_exits) {}

void SliceWatch::on_events(record::ThreadId thread, std::span<const Event> events,
                           std::vector<Event>& others) {
  own_.clear();
  for (const Event& event : events) {
    if (event.kind == EventKind::kInput) {
      note_input(thread, event);
      continue;
    }
    const bool lost = event.kind == EventKind::kLoss;
    const bool ends = event.kind == EventKind::kThreadExit || event.kind == EventKind::kExec;
    const bool transfer = event.kind == EventKind::kTransfer;
    if (lost || ends || transfer || is_of(event, of_.seen))
      own_.push_back(event);
    else
      note_entry(thread, event);
    if (!is_of(event, of_.attached)) others.push_back(event);
    lost_ |= lost;
  }
  if (!own_.empty()) tracer_.on_events(thread, own_);
}

// Of an attached one, whose ends are not seen.
void SliceWatch::note_entry(record::ThreadId thread, const Event& event) {
  if (event.kind == EventKind::kEntry && is_of(event, of_.attached))
    threads_[thread].calls.push_back({event.time_ns, kNoReturn, event.op, trace::kNoOperation});
}

void SliceWatch::note_input(record::ThreadId thread, const Event& event) {
  const Input input{event.time_ns,
                    {record::input_descriptor(event.arg), record::input_size(event.arg)}};
  Thread& of = threads_[thread];
  (event.flags & record::kEarlier ? of.earlier : of.inputs).push_back(input);
}

SliceWatch::Call SliceWatch::as_call(const trace::Begun& execution, uint64_t end_ns) {
  return {execution.start_ns, end_ns, execution.op, execution.caller,
          (execution.flags & trace::kOutermostOfComponent) != 0};
}

void SliceWatch::on_begin(const trace::Begun& execution) {
  Thread& of = threads_[execution.thread];
  of.open.push_back(of.calls.size());
  of.calls.push_back(as_call(execution, 0));
}

void SliceWatch::on_closed(const trace::Execution& execution) {
  Thread& of = threads_[execution.thread];
  const auto at = std::ranges::find_if(of.open, [&](size_t i) {
    return of.calls[i].op == execution.op && of.calls[i].time_ns == execution.start_ns;
  });
  if (at == of.open.end()) return;
  of.calls[*at].end_ns = end_of(execution);
  of.open.erase(at);
}

void SliceWatch::on_whole(const trace::Execution& execution) {
  threads_[execution.thread].calls.push_back(as_call(execution, end_of(execution)));
}

void SliceWatch::on_orphan(record::OperationId op) {
  if (of_.attached[op]) ++edges_[op].orphans;
}

// Calls belong to the input before them.
void SliceWatch::collect(Window slice, record::ThreadId number, Thread& thread,
                         counts::Collector& to) {
  for (const Input& input : thread.earlier) to.on_earlier(number, input.stratum);
  auto input = thread.inputs.begin();
  const auto inputs_until = [&](uint64_t ns) {
    for (; input != thread.inputs.end() && input->time_ns <= ns; ++input)
      if (within(slice, input->time_ns)) to.on_input(number, input->time_ns, input->stratum);
  };
  for (const Call& call : thread.calls) {
    inputs_until(call.time_ns);
    if (!within(slice, call.time_ns)) continue;
    const bool bottom = call.caller == trace::kNoOperation;
    to.on_call(number, call.time_ns, call.op, bottom ? std::nullopt : std::optional(call.caller));
  }
  inputs_until(slice.end_ns);
}

// Of what began in the slice and returned in it. `thread`'s calls are in the order in which they
// began, so that those within one follow it.
void SliceWatch::add_singles(Window slice, record::ThreadId number, const Thread& thread,
                             singles::Choice& to) {
  std::vector<double> cost_before{0};
  cost_before.reserve(thread.calls.size() + 1);
  for (const Call& call : thread.calls)
    cost_before.push_back(cost_before.back() + of_.cost_ns[call.op]);
  for (size_t i = 0; i < thread.calls.size(); ++i) {
    const Call& call = thread.calls[i];
    if (!of_.attached[call.op] || !within(slice, call.time_ns) || call.end_ns == kNoReturn)
      continue;
    if (call.end_ns == 0 || call.end_ns >= slice.end_ns) {
      ++edges_[call.op].cut;
      continue;
    }
    singles::Single* kept = to.see(call.op);
    if (!kept) continue;
    const auto after = std::ranges::upper_bound(thread.calls, call.end_ns, {}, &Call::time_ns);
    const double probes_ns = cost_before[size_t(after - thread.calls.begin())] - cost_before[i];
    const uint64_t duration_ns = call.end_ns - call.time_ns;
    *kept = {.operation = call.op,
             .thread = number,
             .start_ns = call.time_ns,
             .duration_ns = duration_ns,
             .probes_ns = std::min(duration_ns, uint64_t(probes_ns)),
             .outermost = call.outermost};
  }
}

SliceSeen SliceWatch::end(Window slice, uint64_t first_ends_ns, const std::set<pid_t>& unprobed,
                          const WhoIs& who_is) {
  SliceSeen out;
  out.lost = lost_;
  counts::Collector collector(slice.start_ns, first_ends_ns, of_.attached, of_.seen);
  singles::Choice singles(slice);
  for (auto& [number, thread] : threads_) {
    const record::ThreadInfo info = who_is(number);
    const bool ended = info.pid == 0;  // it may have been of any process
    if (!unprobed.empty() && (ended || unprobed.contains(pid_t(info.pid)))) continue;
    if (!std::ranges::is_sorted(thread.calls, {}, &Call::time_ns))
      std::ranges::stable_sort(thread.calls, {}, &Call::time_ns);
    collect(slice, number, thread, collector);
    add_singles(slice, number, thread, singles);
    std::vector<uint64_t> calls(of_.attached.size());
    bool called = false;
    for (const Call& call : thread.calls) {
      if (!of_.attached[call.op] || !within(slice, call.time_ns)) continue;
      ++calls[call.op];
      called = true;
    }
    if (!called) continue;
    out.threads.push_back({pid_t(info.pid), pid_t(info.tid), std::move(calls)});
  }
  out.slice = collector.end(slice.end_ns, 1);
  out.singles = {slice, 1, singles.end(), {edges_.begin(), edges_.end()}};
  return out;
}

}  // namespace compmond::pipeline
