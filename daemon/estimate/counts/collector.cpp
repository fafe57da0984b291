// SPDX-License-Identifier: Apache-2.0
#include "counts/collector.h"

#include <utility>

namespace compmond::counts {

Collector::Collector(uint64_t start_ns, uint64_t first_ends_ns, std::vector<bool> attached,
                     std::vector<bool> seen)
    : first_ends_ns_(first_ends_ns) {
  slice_.start_ns = start_ns;
  slice_.attached = std::move(attached);
  slice_.seen = std::move(seen);
}

Collector::State& Collector::state(Thread thread) {
  if (last_ != thread) last_state_ = &threads_[thread];
  last_ = thread;
  return *last_state_;
}

void Collector::on_input(Thread thread, uint64_t time_ns, Stratum stratum) {
  State& of = state(thread);
  close(of, true);
  of.stratum = stratum;
  of.input = Cell{.stratum = stratum, .first = time_ns < first_ends_ns_};
}

void Collector::on_call(Thread thread, uint64_t time_ns, Item item, std::optional<Item> from) {
  const bool edge = from && slice_.saw(*from) && slice_.saw(item);
  const bool counts = slice_.has(item);
  if (counts || edge)
    state(thread).calls.push_back(
        {item, edge ? from : std::nullopt, counts, time_ns < first_ends_ns_});
}

// What followed an input before the slice is no part of a complete cycle.
void Collector::close(State& state, bool complete) {
  Cell cell{.stratum = state.stratum.value_or(Stratum{}),
            .complete = complete && state.input,
            .carried = !state.stratum};
  for (const Call& call : state.calls) {
    cell.first = call.first;
    if (call.counts) ++slice_.calls[call.item][cell];
    if (call.from) ++slice_.edges[{*call.from, call.item}][cell];
  }
  if (state.input) {
    cell.first = state.input->first;
    ++slice_.inputs[cell];
  }
  state.calls.clear();
  state.input.reset();
}

Slice Collector::end(uint64_t end_ns, double slow_down) {
  for (auto& [thread, state] : threads_) close(state, false);
  slice_.end_ns = end_ns;
  slice_.slow_down = slow_down;
  return std::move(slice_);
}

}  // namespace compmond::counts
