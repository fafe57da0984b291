// SPDX-License-Identifier: Apache-2.0
#include "pipeline/slice_watch.h"

#include <algorithm>

#include "counts/collector.h"

namespace compmond::pipeline {

using record::Event;
using record::EventKind;

SliceWatch::SliceWatch(const std::vector<int>& component_of, std::vector<bool> attached)
    : attached_(std::move(attached)), tracer_(component_of, *this) {}

bool SliceWatch::is_of(const Event& event) const {
  switch (event.kind) {
    case EventKind::kEntry:
    case EventKind::kExit:
    case EventKind::kContext:
    case EventKind::kStayed:
      return event.op < attached_.size() && attached_[event.op];
    default:
      return false;
  }
}

void SliceWatch::on_events(record::ThreadId thread, std::span<const Event> events,
                           std::vector<Event>& others) {
  own_.clear();
  for (const Event& event : events) {
    if (event.kind == EventKind::kInput) {
      note_input(thread, event);
      continue;
    }
    const bool own = is_of(event), lost = event.kind == EventKind::kLoss;
    const bool ends = event.kind == EventKind::kThreadExit || event.kind == EventKind::kExec;
    if (own || lost || ends) own_.push_back(event);
    if (!own) others.push_back(event);
    lost_ |= lost;
  }
  if (!own_.empty()) tracer_.on_events(thread, own_);
}

void SliceWatch::note_input(record::ThreadId thread, const Event& event) {
  const Input input{event.time_ns,
                    {record::input_descriptor(event.arg), record::input_size(event.arg)}};
  Thread& of = threads_[thread];
  (event.flags & record::kEarlier ? of.earlier : of.inputs).push_back(input);
}

void SliceWatch::add(const trace::Begun& execution) {
  threads_[execution.thread].calls.push_back({execution.start_ns, execution.op, execution.caller});
}

SliceSeen SliceWatch::end(Window slice, uint64_t first_ends_ns, const std::set<pid_t>& unprobed,
                          const WhoIs& who_is) {
  const auto within = [&](uint64_t ns) { return ns >= slice.start_ns && ns < slice.end_ns; };
  SliceSeen out;
  out.lost = lost_;
  counts::Collector collector(slice.start_ns, first_ends_ns, attached_);
  for (auto& [number, thread] : threads_) {
    const record::ThreadInfo info = who_is(number);
    const bool ended = info.pid == 0;  // it may have been of any process
    if (!unprobed.empty() && (ended || unprobed.contains(pid_t(info.pid)))) continue;
    for (const Input& input : thread.earlier) collector.on_earlier(number, input.stratum);
    std::ranges::stable_sort(thread.calls, {}, &Call::time_ns);
    auto input = thread.inputs.begin();
    std::vector<uint64_t> calls(attached_.size());
    bool called = false;
    const auto inputs_until = [&](uint64_t ns) {
      for (; input != thread.inputs.end() && input->time_ns <= ns; ++input)
        if (within(input->time_ns)) collector.on_input(number, input->time_ns, input->stratum);
    };
    for (const Call& call : thread.calls) {
      inputs_until(call.time_ns);
      if (!within(call.time_ns)) continue;
      collector.on_call(number, call.time_ns, call.op);
      ++calls[call.op];
      called = true;
      if (call.caller != trace::kNoOperation) ++out.callers[{call.caller, call.op}];
    }
    inputs_until(slice.end_ns);
    if (!called) continue;
    out.threads.push_back({pid_t(info.pid), pid_t(info.tid), std::move(calls)});
  }
  out.slice = collector.end(slice.end_ns, 1);
  return out;
}

}  // namespace compmond::pipeline
