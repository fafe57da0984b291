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
  // Calls of the system that were looked at and are charged to the targets, what that takes of
  // each, and how many could not be looked at since the kernel was just looking at another one.
  // Where all calls are looked at they are those of all processes of the machine; where only
  // receives are, which cost others as much, but are few, the targets' own.
  uint64_t calls = 0;
  double call_ns = 0;
  uint64_t missed = 0;
};

// Counts them while it exists and is on. Main thread.
class InputCounting {
 public:
  virtual ~InputCounting() = default;
  // All processes of the machine pay for what is on. Each takes less than a ms, rarely some 20.
  virtual Result<void> on() = 0;
  virtual void off() = 0;
  // It is on, and would cost less, or learn whether it can, if it were switched off and on again.
  virtual bool would_change() const { return false; }
  virtual Inputs read() const = 0;
};

}  // namespace compmond::engine
