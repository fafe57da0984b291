// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/result.h"

namespace compmond::engine {

// Calls of the system by which the targets' threads read something, by where they read from and by
// how much (estimate/counts/strata.h). While they were counted: differences of two are of
// the time between them.
struct Inputs {
  static constexpr size_t kStrata = 64;
  std::array<uint64_t, kStrata> descriptor{}, size{};
  // Calls of the system that were looked at, by all processes of the machine, receives by targets
  // and by others, and what that took of each.
  uint64_t calls = 0, receives = 0, others = 0;
  double call_ns = 0, receive_ns = 0, other_ns = 0;
  uint64_t missed = 0;  // not looked at: the kernel was just looking at another one
  // Of these inputs those that are receives, also while no others are counted. `receiving`: the
  // number of the time in which that is so without a gap; 0: it is not so now.
  uint64_t received = 0;
  uint32_t receiving = 0;
};

// Counts them while it exists and is on. Main thread.
class InputCounting {
 public:
  virtual ~InputCounting() = default;
  // All processes of the machine pay for what is on. Each takes less than a ms, rarely some 20, the
  // first times some ms more. Once it is off, receives may still be counted, where these say how
  // often the rest comes.
  virtual Result<void> on() = 0;
  virtual void off() = 0;
  // They cost too much for that: not from now on, for some time.
  virtual void spare_receives() {}
  // It is on, and would cost less, or learn whether it can, if it were switched off and on again.
  virtual bool would_change() const { return false; }
  virtual Inputs read() const = 0;
};

}  // namespace compmond::engine
