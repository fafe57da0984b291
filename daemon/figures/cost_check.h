// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/window.h"
#include "figures/figures.h"

// What probes cost is known twice: by what one was measured to cost, times the calls, and by the
// samples in which a thread was at work for one. Both are CPU time of the same interval, so they
// can be compared; whether they agree is told here. Pure.
namespace compmond::figures {

struct CostShares {  // of the CPU time of an interval, 0 to 1
  Window interval;
  double by_costs = 0;
  double by_samples = 0, low = 0, high = 0;  // with its 95 % interval
};

// By how much the two may differ: four standard errors of the samples (once in 16,000 times by
// chance), but never less than two points. Samples cannot see the last part of the way out of a
// probe, in which interrupts are off: a tenth of a pair, a quarter of an entry alone, as measured
// (docs/decisions/0008-samples-check-costs.md).
constexpr double kErrors = 4, kPoints = 0.02, kUnseen = 0.25;

// Further apart than that: -1 where samples see less, 1 where they see more, else 0.
int apart(const CostShares& shares);

struct CostCheck {
  CostShares newest;
  uint64_t intervals = 0;  // that were compared
  uint64_t apart = 0;      // of these
  bool doubt = false;      // two in a row were, to the same side: the costs are not those measured
  double factor = 1;       // then: what samples see / what was charged, in these
};

// `shares` by time. None where there are none.
std::optional<CostCheck> check_costs(std::span<const CostShares> shares);

// Whether a real time may be off by more than two in a hundred, where so much was taken out of it.
bool is_off(const CostCheck& check, uint64_t real_ns, uint64_t net_real_ns);

// And what the run's own calls leave no room for was measured too high.

// A call is not shorter than what its probes add to it (`inside`), which varies from call to call:
// the measured one is a median, so the median of an operation's calls is not below it, once so many
// returned. (The shortest are, also where it is right.) What agrees within a tenth is as measured.
constexpr uint64_t kSpeaks = 1000;
constexpr double kMedian = 0.5, kAgrees = 0.9;
// Probes do not take more than all of the CPU time; the kernel books it at each tick.
constexpr uint64_t kCpuSpeaksNs = 1'000'000'000;

// What share of its measured cost, 0 to 1, a call of each class can have cost; 1: all of it.
// `model` has costs as measured; `class_of`: by operation, from 0, or -1: it has none.
std::vector<double> possible_shares(const Model& model, std::span<const int> class_of,
                                    const history::Checkpoint& checkpoint, uint64_t cpu_ns);

}  // namespace compmond::figures
