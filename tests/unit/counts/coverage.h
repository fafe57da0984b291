// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "server.h"

// How often what is told of a server holds the truth.
namespace compmond::counts::servers {

struct Coverage {
  int told = 0, held = 0, far = 0, of = 0;
  double error = 0, half = 0;
  void add(const Count& count, double truth) {
    ++of;
    if (!count.told()) return;
    const Bounds b = bounds(count.value, count.variance);
    ++told;
    held += b.low <= truth && truth <= b.high;
    far += std::abs(count.value - truth) > 0.1 * truth;
    error += std::abs(count.value / truth - 1);
    half += (b.high - b.low) / 2 / truth;
  }
  double share() const { return told > 0 ? double(held) / told : 0; }
  double half_width() const { return half / std::max(told, 1); }
  std::string text() const {
    return std::to_string(held) + " of " + std::to_string(told) + " told of " + std::to_string(of) +
           ", mean error " + std::to_string(error / std::max(told, 1)) + ", half-width " +
           std::to_string(half_width()) + ", wrong by a tenth " + std::to_string(far);
  }
};

// Of each item, in the same runs.
inline std::vector<Coverage> cover_all(const Server& server, int runs, uint64_t seed) {
  Random random(seed);
  std::vector<Coverage> out(server.items);
  for (int i = 0; i < runs; ++i) {
    const Run run = simulate(server, random);
    const std::vector<Rate> told = rates(run.slices, run.inputs, server.items, {});
    for (size_t item = 0; item < server.items; ++item)
      out[item].add(told[item].count, run.calls[item]);
  }
  return out;
}

}  // namespace compmond::counts::servers
