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

void Collector::on_input(Thread thread, uint64_t time_ns, Stratum stratum) {
  State& state = threads_[thread];
  close(state, true);
  state.stratum = stratum;
  state.input = Cell{.stratum = stratum, .first = time_ns < first_ends_ns_};
}

void Collector::on_call(Thread thread, uint64_t time_ns, Item item, std::optional<Item> from) {
  const bool edge = from && slice_.saw(*from) && slice_.saw(item);
  if (!slice_.has(item) && !edge) return;
  State& state = threads_[thread];
  const Cell cell{.stratum = state.stratum.value_or(Stratum{}),
                  .first = time_ns < first_ends_ns_,
                  .carried = !state.stratum};
  if (slice_.has(item)) ++state.calls[item][cell];
  if (edge) ++state.edges[{*from, item}][cell];
}

// What followed an input before the slice is no part of a complete cycle.
void Collector::close(State& state, bool complete) {
  const auto closed = [&](Cell cell) {
    cell.complete = complete && state.input;
    return cell;
  };
  const auto close_all = [&](const auto& from, auto& to) {
    for (const auto& [what, cells] : from)
      for (const auto& [cell, calls] : cells) to[what][closed(cell)] += calls;
  };
  close_all(state.calls, slice_.calls);
  close_all(state.edges, slice_.edges);
  if (state.input) ++slice_.inputs[closed(*state.input)];
  state.calls.clear();
  state.edges.clear();
  state.input.reset();
}

Slice Collector::end(uint64_t end_ns, double slow_down) {
  for (auto& [thread, state] : threads_) close(state, false);
  slice_.end_ns = end_ns;
  slice_.slow_down = slow_down;
  return std::move(slice_);
}

}  // namespace compmond::counts
