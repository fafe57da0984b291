// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>

#include "base/window.h"

namespace compmond::sampling {

// When the targets were slowed by probes of a slice, whose samples tell nothing of the rest of the
// time. Any thread.
class SliceTimes {
 public:
  void begin(uint64_t now_ns) {
    const std::lock_guard lock(mutex_);
    times_.push_back({now_ns, UINT64_MAX});
    if (times_.size() > kKept) times_.pop_front();
  }
  void end(uint64_t now_ns) {
    const std::lock_guard lock(mutex_);
    if (!times_.empty()) times_.back().end_ns = now_ns;
  }
  bool has(uint64_t time_ns) const {
    const std::lock_guard lock(mutex_);
    for (const Window& time : times_)
      if (time_ns >= time.start_ns && time_ns < time.end_ns) return true;
    return false;
  }

 private:
  static constexpr size_t kKept = 64;  // some seconds of them: samples come sooner
  mutable std::mutex mutex_;
  std::deque<Window> times_;
};

}  // namespace compmond::sampling
