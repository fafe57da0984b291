// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include "counts/counts.h"
#include "counts/slice.h"

namespace compmond::counts {

// Rates that were told lately, since telling them takes some ms, and pictures want them many times
// a second. One thread.
class KnownRates {
 public:
  struct Of {  // what they follow from
    std::vector<std::pair<uint64_t, uint64_t>> times;
    uint64_t slices = 0;  // of the run
    uint64_t inputs = 0;  // how often these were thinned out
    size_t items = 0;
    bool edges = false;         // behind them
    std::vector<Pair> callers;  // known for these
    bool operator==(const Of&) const = default;
  };
  struct Told {
    std::vector<Pair> edges;
    std::vector<Rate> rates;
  };
  // Valid until the next call.
  const Told& of(Of of, const std::function<Told()>& tell) {
    for (const auto& [key, told] : known_)
      if (key == of) return told;
    if (known_.size() >= kKept) known_.pop_back();
    known_.emplace_front(std::move(of), tell());
    return known_.front().second;
  }

 private:
  static constexpr size_t kKept = 8;       // some windows, each with and without edges
  std::deque<std::pair<Of, Told>> known_;  // the newest first
};

}  // namespace compmond::counts
