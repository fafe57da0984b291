// SPDX-License-Identifier: Apache-2.0
#include "filehost/own_work.h"

#include <thread>

namespace fh {
namespace {

using Clock = std::chrono::steady_clock;  // CLOCK_MONOTONIC

// A woken thread is late by some 60 µs. Long spinning would use up its claim to the processor on a
// busy machine.
constexpr Duration kSpin = std::chrono::milliseconds(1);

}  // namespace

void pass(Duration duration) {
  if (duration <= Duration::zero()) return;
  const Clock::time_point deadline = Clock::now() + duration;
  if (duration > kSpin) std::this_thread::sleep_until(deadline - kSpin);
  while (Clock::now() < deadline) {
  }
}

void OwnWork::first_half() {
  const Clock::time_point start = Clock::now();
  pass(left_ / 2);
  left_ -= Clock::now() - start;
}

void OwnWork::rest() {
  pass(left_);
  left_ = Duration::zero();
}

}  // namespace fh
