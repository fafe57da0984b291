// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "slicing/loads.h"

namespace compmond::run {

// Which operations are observed in which slices, so that no thread is slowed to more than half its
// speed and all of it together stays within the budget. Pure, but for the random numbers.
class SlicePlanner {
 public:
  struct Options {
    double lost_per_slice_ns =
        0;  // CPU time that attaching and detaching take, whatever is attached
    size_t operations = 0;
    uint64_t seed = 0;
  };
  static constexpr double kMostLoad = 1;  // of a slice, and of what is not too hot: slow-down - 1

  // The loads must outlive it, and know of as many operations.
  SlicePlanner(const Loads& loads, Options options);

  // What alone would slow a thread to less than half its speed: no slice can have it.
  std::vector<bool> too_hot() const;

  struct Slice {
    uint64_t gap_ns = 0;  // before it, since the last one ended
    uint64_t length_ns = 0;
    plan::See see = plan::See::kCalls;
    std::vector<bool> attach;
    double slow_down = 1;  // predicted; 1: nothing can be attached
  };
  // Per operation: its direct callers, which say who called, and then its callees, as far as is
  // known.
  using Neighbours = std::vector<std::vector<size_t>>;
  // Random subsets of `away`, per operation, without what is too hot: operations with their
  // neighbours, those first that were in the fewest slices. Every other slice sees entries alone,
  // at first two of three, where that allows for many more operations in one, or some are too hot
  // for more. How much they slow varies, so that it can be told what depends on that. `budget`:
  // what slices may take of the targets' CPU time; `others_ns`: what others pay in one, beside
  // these.
  Slice next(const std::vector<bool>& away, const Neighbours& neighbours, double budget,
             double others_ns = 0);

  // Of the targets' CPU time, what a slice of that length and slow-down takes, once each period.
  static double charge(double slice_ns, double slow_down, double lost_ns, double period_ns);

 private:
  plan::See next_see(const std::vector<bool>& away);
  std::vector<bool> too_hot(plan::See see) const;
  double draw_cap(double all);
  std::vector<size_t> draw_order(plan::See see, bool all_fit);

  const Loads& loads_;
  Options options_;
  std::mt19937_64 random_;
  int in_a_row_ = 0;  // newest slices, of entries alone
  // Per operation: slices that it was in, with its whole calls, or at all.
  std::vector<uint64_t> with_calls_, times_;
};

// Of pairs of a caller and a callee.
SlicePlanner::Neighbours neighbours(std::span<const std::pair<uint32_t, uint32_t>> callers,
                                    size_t operations);

}  // namespace compmond::run
