// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "base/window.h"
#include "counts/counts.h"
#include "counts/input_times.h"
#include "counts/kept_slices.h"
#include "counts/known_rates.h"
#include "counts/slice.h"

namespace compmond::counts {

// The slices of a run and its inputs, for counts of any window. Bounded: what is old is thinned
// out, what is new is not. One thread.
class SliceStore {
 public:
  InputTimes& inputs() { return inputs_; }
  void add(Slice slice);

  // How often the items 0 … items - 1 happened in these times, of which none overlap, from the
  // slices in them, but for those of the last moments: asking anew soon afterwards takes no time.
  std::vector<Count> count(std::span<const Window> times, size_t items) const;
  // Likewise of calls from one operation to another, of the pairs that slices saw most. A pair is
  // told from slices that saw all that is known to call the callee, by `known` and by slices: else
  // something between the two may have been away.
  struct EdgeCount {
    Pair edge;
    Count count;
  };
  std::vector<EdgeCount> count_edges(std::span<const Window> times, size_t items,
                                     std::span<const Pair> known) const;
  // All that there were; how long they were together, and how much they slowed on average.
  struct Summary {
    uint64_t slices = 0, total_ns = 0;
    double slow_down = 1;
    double inputs_share = 0;  // of the time in which inputs are known: that they were counted in
  };
  Summary within(Window window) const;
  // Those that are kept and lie wholly in it, the newest so many, oldest first. Borrowed until the
  // next is added.
  std::vector<const Slice*> newest(Window window, size_t most) const;
  // Those in these times that counts of them are from, oldest first. Borrowed likewise.
  std::vector<const Slice*> looked_at(std::span<const Window> times) const {
    return slices_.spread_over(times, kLookedAt);
  }

 private:
  static constexpr size_t kLookedAt = 128;  // slices of a window: more tell hardly more
  // Of the times in which there are no inputs to count by, that part is too much.
  static constexpr double kUncounted = 0.02;

  static constexpr size_t kEdges = 128;  // as many are counted

  static void add_uncounted(Count& count, double part);
  using Times = std::vector<Window>;
  std::vector<Rate> rates(const Times& times, std::span<const Slice> slices, size_t items) const;
  const KnownRates::Told& known(const Times& times, size_t items, bool edges,
                                std::span<const Pair> callers) const;
  std::vector<Count> counted(std::span<const Window> times, std::span<const Rate> rates) const;

  InputTimes inputs_;
  KeptSlices slices_;
  std::map<Pair, std::pair<uint64_t, uint64_t>> callers_;  // calls, of so many
  mutable KnownRates known_;
};

}  // namespace compmond::counts
