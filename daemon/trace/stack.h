// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/execution.h"

namespace compmond::trace {

// An open execution as the tracer keeps it.
struct Frame {
  uint64_t sp = 0;  // at entry
  uint64_t start_ns = 0;
  uint64_t own_ns = 0;  // time on top of its thread so far
  uint64_t trace_id = 0;
  OperationId op = 0;
  OperationId caller = kNoOperation;
  uint32_t eoi = 0;
  uint16_t ess = 0;
  uint8_t flags = 0;                // ExecutionFlags
  bool holds_return_probe = false;  // one of the 64 that the kernel keeps per thread
};

// The frames on one stack of one thread, bottom first: their sp never rises from bottom to top.
class Stack {
 public:
  bool empty() const { return frames_.size() == evicted_; }
  size_t size() const { return frames_.size() - evicted_; }
  Frame& top() { return frames_.back(); }
  const Frame& top() const { return frames_.back(); }
  Frame& bottom() { return frames_[evicted_]; }
  const Frame& bottom() const { return frames_[evicted_]; }
  const Frame& at(size_t i) const { return frames_[evicted_ + i]; }
  Frame& push() { return frames_.emplace_back(); }
  void pop() { frames_.pop_back(); }
  // Forgets the oldest frame, in amortised constant time.
  void pop_bottom() {
    if (++evicted_ < frames_.size() && evicted_ < kCompactAt) return;
    frames_.erase(frames_.begin(), frames_.begin() + ptrdiff_t(evicted_));
    evicted_ = 0;
  }

  uint32_t id = 0;      // unique within the thread
  uint32_t parent = 0;  // id of the stack that ran before this one was entered; 0: none

 private:
  static constexpr size_t kCompactAt =
      4096;  // half of limits::kStackFrames: moved once per so many evictions
  std::vector<Frame> frames_;
  size_t evicted_ = 0;
};

}  // namespace compmond::trace
