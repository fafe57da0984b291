// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/execution.h"

namespace compmond::trace {

// An open execution as the tracer keeps it.
struct Frame : Begun {
  bool awaits_limited_exit = false;  // one of those of which only so many can be awaited
  uint64_t sp = 0;                   // at entry
  uint64_t own_ns = 0;               // time on top of its thread so far
  uint64_t unsure_ns = 0;            // of Execution, but for its own end
  uint32_t stays = 0;                // of Execution
  // It was left by a jump to another observed operation (record::kJumpExit) then, and ends when
  // that one returns; 0: it was not.
  uint64_t jumped_ns = 0;
};

// The latest transfer of control that began on a stack: what it left, the events behind it show.
struct Departure {
  enum class State : uint8_t {
    kNone,    // none, or it is known to have left nothing that is still on the stack
    kFresh,   // no event of this stack came since: what that one finds dead ended here
    kPassed,  // some did, and the time since then was credited as if nothing had been left
  };
  State state = State::kNone;
  Closed reason = Closed::kAbandoned;
  uint64_t at_ns = 0;
  size_t frames = 0;  // that were on the stack
};

// The frames on one stack of one thread, bottom first: their sp never rises from bottom to top.
class Stack {
 public:
  bool empty() const { return count_ == evicted_; }
  size_t size() const { return count_ - evicted_; }
  Frame& top() { return frames_[count_ - 1]; }
  const Frame& top() const { return frames_[count_ - 1]; }
  const Frame& bottom() const { return frames_[evicted_]; }
  Frame& at(size_t i) { return frames_[evicted_ + i]; }
  const Frame& at(size_t i) const { return frames_[evicted_ + i]; }
  // The caller sets every member.
  Frame& push() {
    if (count_ == frames_.size()) frames_.resize(std::max<size_t>(16, 2 * count_));
    return frames_[count_++];
  }
  void pop() { told_ = std::min(told_, --count_); }
  // The sink knows of the frames below this one, and of no others.
  size_t first_untold() const { return told_ - evicted_; }
  bool top_is_told() const { return told_ == count_; }
  void mark_told() { told_ = count_; }
  // Forgets the oldest frame, which was told, in amortised constant time.
  void pop_bottom() {
    if (++evicted_ < count_ && evicted_ < kCompactAt) return;
    std::move(frames_.begin() + ptrdiff_t(evicted_), frames_.begin() + ptrdiff_t(count_),
              frames_.begin());
    count_ -= evicted_;
    told_ -= evicted_;
    evicted_ = 0;
  }

  // Forgets a frame in between; the sink knows of all of them.
  void erase(size_t i) {
    std::move(frames_.begin() + ptrdiff_t(evicted_ + i + 1), frames_.begin() + ptrdiff_t(count_),
              frames_.begin() + ptrdiff_t(evicted_ + i));
    told_ = --count_;
    if (i < departure.frames) --departure.frames;
    if (empty() || departure.frames == 0) departure = {};
  }

  uint32_t id = 0;      // unique within the thread
  uint32_t parent = 0;  // id of the stack that ran before this one was entered; 0: none
  Departure departure;
  uint64_t left_ns = 0;  // of one that does not run: when it was last seen to

 private:
  static constexpr size_t kCompactAt =
      4096;                    // half of limits::kStackFrames: moved once per so many evictions
  std::vector<Frame> frames_;  // of which the first count_ are in use
  size_t count_ = 0;
  size_t evicted_ = 0;  // the first of those; told_ counts them too
  size_t told_ = 0;
};

}  // namespace compmond::trace
