// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace compmond::pipeline {

// Notices that so many events come that their probes may take most of a thread's time, so that who
// keeps the budget looks at once and not when it is due. One thread.
class Flood {
 public:
  // Told of what was drained just now; whether to look, at most once in 40 ms.
  bool saw(size_t events, uint64_t now_ns) {
    if (now_ns >= since_ns_ + kSpanNs) {
      since_ns_ = now_ns;
      events_ = 0;
    }
    events_ += events;
    if (events_ < kEvents || now_ns < told_ns_ + kApartNs) return false;
    told_ns_ = now_ns;
    return true;
  }

 private:
  // A call is two events. Where its probes cost 7 µs, more than these take half of one thread's
  // time; where they cost a tenth of that, who looks finds less and leaves it at that.
  static constexpr uint64_t kSpanNs = 10'000'000, kApartNs = 40'000'000;
  static constexpr size_t kEvents = 1'400;
  uint64_t since_ns_ = 0, told_ns_ = 0;
  size_t events_ = 0;
};

}  // namespace compmond::pipeline
