// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "plan/way.h"

namespace compmond::run {

// What probes of each operation cost the target, learned from slices in which different ones were
// there. Pure.
class Loads {
 public:
  // Per operation, what a call costs as measured elsewhere: only a prior, since a probe costs
  // another program more or less.
  struct Costs {
    std::vector<double> calls_ns, entries_ns;  // as See
  };
  explicit Loads(Costs costs);

  // Of other probes than before: what slices told of those is expected, no more.
  void price(Costs costs);

  struct Seen {                   // of one slice
    double cpu_ns = 0;            // of all threads, probes included
    std::vector<bool> attached;   // per operation
    std::vector<uint64_t> calls;  // likewise
    // Likewise, at most: per second of CPU time of the threads that matter, probes included.
    std::vector<double> worst_per_s;
    plan::See see = plan::See::kCalls;
  };
  void add(Seen seen);
  // Of a time that was no slice, in which the probes of all, whole calls, took that share of the
  // CPU time: a first guess of those that no slice had.
  void expect(const std::vector<uint64_t>& calls, double share);

  // What a probe costs / what it costs elsewhere: found as that with which the calls per useful CPU
  // time are the same in slices with many and with few probes, and drawn to 1 where these vary
  // anyway. 1 until enough is known.
  double factor() const { return factor_; }
  double cost_ns(size_t operation, plan::See see) const {
    return factor_ * prior_ns(operation, see);
  }
  // The part of a thread's useful CPU time that its probes would take, of the thread on which that
  // is most: those of several add up to the slow-down - 1. Nothing: not seen yet, or not in the
  // newest slices, as it was too hot for them; then it is an expected one again.
  std::optional<double> of(size_t operation, plan::See see) const;
  // Calls per ns of useful CPU time, of that thread. Nothing: as above.
  std::optional<double> rate(size_t operation) const { return worst_[operation]; }
  double expected_rate(size_t operation) const {  // likewise, as far as is known or was expected
    return worst_[operation].value_or(expected_[operation].value_or(0));
  }
  // Those not seen yet count as expected, or as `unknown`.
  double of(size_t operation, plan::See see, double unknown) const;
  double of(const std::vector<bool>& operations, plan::See see, double unknown) const;
  // Of all CPU time, what probes of their whole calls would take together. Nothing: some were not
  // seen yet.
  std::optional<double> share(const std::vector<bool>& operations) const;
  // Calls per ns of useful CPU time of all threads; 0 of those that were not seen yet.
  double calls_per_ns(const std::vector<bool>& operations) const;

 private:
  double improve_rates(double factor);
  double fit(double factor);  // sets rates_; the smaller the better
  double useful_ns(const Seen& seen, double factor) const;
  double prior_ns(size_t operation, plan::See see) const {
    return (see == plan::See::kCalls ? costs_.calls_ns : costs_.entries_ns)[operation];
  }

  Costs costs_;
  std::deque<Seen> seen_;
  double factor_ = 1;
  // Calls per ns of useful CPU time.
  std::vector<double> rates_;
  std::vector<std::optional<double>> worst_;     // of the worst thread
  std::vector<std::optional<double>> expected_;  // before that is known
};

}  // namespace compmond::run
