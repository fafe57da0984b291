// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "counts/slice.h"

namespace compmond::counts {

// Makes a slice of what is told of it. Events of a thread come in order; threads in any.
class Collector {
 public:
  using Thread = uint32_t;

  // As Slice has them. Of the slice, what comes before `first_ends_ns` is its first part.
  Collector(uint64_t start_ns, uint64_t first_ends_ns, std::vector<bool> attached,
            std::vector<bool> seen = {});

  // The last input of a thread before the slice, if known: to be told before all else of it.
  void on_earlier(Thread thread, Stratum stratum) { state(thread).stratum = stratum; }
  void on_input(Thread thread, uint64_t time_ns, Stratum stratum);
  // `from`: what called it, of all that the slice saw.
  void on_call(Thread thread, uint64_t time_ns, Item item, std::optional<Item> from = std::nullopt);

  // Nothing may follow.
  Slice end(uint64_t end_ns, double slow_down);

 private:
  struct Call {
    Item item = 0;
    std::optional<Item> from;
    bool counts = false;  // itself; else only as an edge
    bool first = false;   // in the first part
  };
  struct State {
    std::optional<Stratum> stratum;
    std::optional<Cell> input;  // whose next one has not come yet; none: it was before the slice
    std::vector<Call> calls;    // since
  };
  State& state(Thread thread);
  void close(State& state, bool complete);

  uint64_t first_ends_ns_;
  Slice slice_;
  std::map<Thread, State> threads_;
  std::optional<Thread> last_;  // that something was told of
  State* last_state_ = nullptr;
};

}  // namespace compmond::counts
