// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

namespace compmond::uprobe {

// What being looked at adds to something: the least that it took so far while somebody looks less
// the least while nobody does, since neighbours on the machine only ever make it slower. One
// thread.
class InputPrice {
 public:
  // `measure`: what it takes now, ns.
  explicit InputPrice(double (*measure)()) : measure_(measure) {}
  // A few times: the targets may have to wait for a CPU meanwhile, and they do when nobody counts,
  // so that other times would tell of too many inputs then.
  bool wanted() const { return taken_ < kTimes; }
  void nobody_looks();
  void somebody_looks();  // as at a target
  double ns() const;      // 0: it was not measured

 private:
  static constexpr int kTimes = 3;
  double (*measure_)();
  static constexpr double kUnknown = std::numeric_limits<double>::max();
  double without_ = kUnknown, with_ = kUnknown;
  int taken_ = 0;
};

// Each takes less than 3 ms; infinite where it cannot be done.
double call_ns();     // of the system, that does next to nothing
double receive_ns();  // of one byte that stays there

}  // namespace compmond::uprobe
