// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <ranges>
#include <vector>

#include "base/window.h"
#include "singles/single.h"

namespace compmond::singles {

// How long executions of an operation took, as slices of a window saw them. Times in ns.
struct Times {
  uint64_t seen = 0;     // executions that this rests on
  double slow_down = 1;  // of their slices, on average
  double mean_ns = 0;
  uint64_t min_ns = 0, max_ns = 0, p50_ns = 0, p90_ns = 0, p99_ns = 0;
  // What is not longer may be to more than a third what probes cost.
  uint64_t uncertain_below_ns = 0;
  // What is not shorter is near to what a slice can see: longer ones may be missing.
  uint64_t uncertain_from_ns = 0;
};

// The single executions that the slices of a run have seen. Bounded: of a long run a random half of
// each old slice's is dropped, and what is left has twice the weight; the oldest slices go. One
// thread.
class SingleStore {
 public:
  void add(Seen seen);  // in the order of time

  // Of these operations together; `outermost`: without those within their own component. Nothing:
  // none were seen in that window.
  std::optional<Times> times(Window window, const std::vector<uint32_t>& operations,
                             bool outermost) const;
  Edges edges(Window window, const std::vector<uint32_t>& operations) const;
  size_t size() const { return singles_; }
  size_t slices() const { return slices_.size(); }

 private:
  static constexpr size_t kMost = 128 * 1024;       // singles
  static constexpr size_t kMostSlices = 32 * 1024;  // with any: of some six hours
  void drop_oldest();
  void thin_out();
  using Slices = std::deque<Seen>;
  std::ranges::subrange<Slices::const_iterator> within(Window window) const;  // wholly in it

  Slices slices_;
  size_t singles_ = 0;
};

}  // namespace compmond::singles
