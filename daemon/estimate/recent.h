// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "sampling/sample.h"
#include "stacks/stack_table.h"

namespace compmond::estimate {

struct RecentSample {
  uint64_t time_ns = 0;
  uint64_t latest_ns = 0;  // of its time and those of all that came before it
  StackId stack = 0;
  uint64_t weight_ns = 0;  // on CPU: 0 as long as it is not known
  uint64_t off_ns = 0, runnable_ns = 0;
  uint32_t pid = 0, tid = 0;
  int component = -1;  // of its innermost operation; -1: elsewhere
  sampling::Sample::Kind kind = sampling::Sample::Kind::kOnCpu;
  bool in_kernel = false, in_probe = false;
};

// The newest samples in at most so many bytes, numbered as they came.
class RecentSamples {
 public:
  explicit RecentSamples(size_t bytes) : most_(std::max<size_t>(1, bytes / sizeof(RecentSample))) {}

  uint64_t push(RecentSample sample) {
    latest_ns_ = sample.latest_ns = std::max(latest_ns_, sample.time_ns);
    if (samples_.size() == most_) {
      complete_since_ns_ = samples_.front().latest_ns + 1;
      samples_.pop_front();
      ++first_;
    }
    samples_.push_back(sample);
    return first_ + samples_.size() - 1;
  }
  void weigh(uint64_t number, uint64_t weight_ns) {
    if (number >= first_) samples_[number - first_].weight_ns = weight_ns;
  }
  // None from then on is gone.
  uint64_t complete_since_ns() const { return complete_since_ns_; }
  // Calls `visit` for each from then on, and for some that were before.
  template <class Visit>
  void since(uint64_t time_ns, Visit&& visit) const {
    const auto first = std::ranges::lower_bound(samples_, time_ns, {}, &RecentSample::latest_ns);
    std::for_each(first, samples_.end(), visit);
  }
  size_t size() const { return samples_.size(); }
  size_t memory_bytes() const { return samples_.size() * sizeof(RecentSample); }

 private:
  size_t most_;
  uint64_t first_ = 0, latest_ns_ = 0, complete_since_ns_ = 0;
  std::deque<RecentSample> samples_;
};

}  // namespace compmond::estimate
