// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "log_format/sample_block.h"
#include "sampling/sample.h"

namespace compmond::replay {

// Hands the samples of a log to a sink in the order in which they were told live, each time up to a
// moment.
class SampleFeed {
 public:
  // They go there, or nowhere.
  explicit SampleFeed(sampling::SampleSink* sink = nullptr) : sink_(sink) {}
  void take(recording::SampleBlock block);
  bool done() const { return blocks_.empty(); }
  bool full() const { return blocks_.size() >= kBlocks; }  // what waits comes before any other

  // Up to `most` samples, and what was told between them, none after `until_ns`. How many of both;
  // 0 while something waits: that is later.
  size_t deliver(uint64_t until_ns, size_t most);
  uint64_t latest_ns() const { return latest_ns_; }  // of all that was handed over

 private:
  static constexpr size_t kBlocks = 2;  // that wait at once: some four seconds

  void open_first();
  bool stretch_is_next() const;
  uint64_t next_ns() const;
  void hand_over_next();

  sampling::SampleSink* sink_;
  std::deque<recording::SampleBlock> blocks_;  // none of them empty
  size_t sample_ = 0, stretch_ = 0;            // next ones of the first block
  uint64_t latest_ns_ = 0;
  std::vector<sampling::Frame> frames_;  // of one sample
};

}  // namespace compmond::replay
