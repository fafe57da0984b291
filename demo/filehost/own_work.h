// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "filehost/request.h"

namespace fh {

// The time that one call spends by itself, in two parts around its nested call. The second part
// makes up for what the first overshot, so that both together take `total`.
class OwnWork {
 public:
  explicit OwnWork(Duration total) : left_(total) {}
  void first_half();
  void rest();

 private:
  Duration left_;
};

// Returns when `duration` has passed: sleeps until shortly before, then spins, so as to be exact to
// microseconds.
void pass(Duration duration);

}  // namespace fh
