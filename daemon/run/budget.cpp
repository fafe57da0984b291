// SPDX-License-Identifier: Apache-2.0
#include "run/budget.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace compmond::run {
namespace {

constexpr double kFloor = 0.005;  // of one CPU: less than that nobody notices
constexpr double kHeadroom =
    0.8;  // of the budget may be used by what stays, so that it does not tip over again at once
constexpr double kFlood = 0.5;                // of the targets' time
constexpr double kLeastFloodNs = 10'000'000;  // less is over before the probes are gone
constexpr uint64_t kFirstPauseNs = 10'000'000'000;
constexpr uint64_t kLongestPauseNs = 320'000'000'000;

}  // namespace

OverheadBudget::OverheadBudget(double percent, size_t operations)
    : percent_(percent), pauses_(operations) {}

bool OverheadBudget::floods(const std::vector<Load>& loads, double cpu_ns, double wall_ns) {
  double cost = 0;
  for (const Load& load : loads) cost += load.cost_ns;
  return cost > cpu_ns * kFlood && cost > kLeastFloodNs && cost > wall_ns * kFloor;
}

OverheadBudget::Decision OverheadBudget::look(const std::vector<Load>& loads,
                                              const plan::OperationStates& states, double cpu_ns,
                                              double wall_ns, uint64_t now_ns) {
  Decision out;
  double cost = 0;
  for (const Load& load : loads) cost += load.cost_ns;
  // A single look may be a burst, such as a program's start, that is over when its probes are gone.
  const bool above = cost > cpu_ns * percent_ / 100 && cost > wall_ns * kFloor;
  const bool before = std::exchange(was_above_, above);
  if (above && (before || floods(loads, cpu_ns, wall_ns))) {
    std::vector<size_t> order(loads.size());
    std::iota(order.begin(), order.end(), size_t(0));
    std::sort(order.begin(), order.end(),
              [&](size_t a, size_t b) { return loads[a].cost_ns > loads[b].cost_ns; });
    for (const size_t i : order) {
      // Without its probes the target would have used that much less.
      const double allowed = std::max(cpu_ns * percent_ / 100 * kHeadroom, wall_ns * kFloor);
      if (cost <= allowed || loads[i].cost_ns <= 0) break;
      cost -= loads[i].cost_ns;
      cpu_ns = std::max(0.0, cpu_ns - loads[i].cost_ns);
      if (!states[i].paused()) out.pause.push_back(i);
    }
  }
  for (const size_t i : out.pause) {
    Pause& pause = pauses_[i];
    pause.length_ns =
        pause.length_ns == 0 ? kFirstPauseNs : std::min(2 * pause.length_ns, kLongestPauseNs);
    pause.ends_ns = now_ns + pause.length_ns;
  }
  for (size_t i = 0; i < pauses_.size(); ++i)
    if (states[i].paused() && now_ns >= pauses_[i].ends_ns) out.bring_back.push_back(i);
  return out;
}

}  // namespace compmond::run
