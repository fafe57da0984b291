// SPDX-License-Identifier: Apache-2.0
#include "budget/forecast.h"

#include <algorithm>

namespace compmond::run {
namespace {

// Of the CPU time at least that is the targets' own, whatever costs say, as these are estimates.
constexpr double kOwnAtLeast = 0.05;
// Of what costs say at least that was paid: a program that probes slow much has so little time of
// its own that a small error of theirs is a large one of its rate.
constexpr double kPaidAtLeast = 0.7;

}  // namespace

void foresee(const Seen& seen, const Observed& observed, plan::Busy& busy) {
  if (seen.cpu_ns <= 0 || seen.wall_ns <= 0) return;
  double paid_ns = seen.transfers_ns, calls = 0;
  for (const Seen::Load& load : seen.loads) {
    paid_ns += load.cost_ns;
    calls += double(load.calls - load.strangers);  // these do not tell of theirs
  }
  const auto own_if_paid = [&](double ns) {
    return std::max(seen.cpu_ns - ns, kOwnAtLeast * seen.cpu_ns);
  };
  const double own_ns = own_if_paid(paid_ns);
  if (observed.transfers)
    busy.transfers_pct = 100 * seen.transfers_ns / (own_ns + seen.transfers_ns);
  if (!observed.away_per_ns) return;
  if (calls + *observed.away_per_ns == 0) return;
  const auto per_second = [&](double own) {
    return 1e9 * (calls / own + *observed.away_per_ns) * seen.cpu_ns / seen.wall_ns;
  };
  busy.whole_calls_s = per_second(own_ns);
  busy.whole_calls_least_s = per_second(own_if_paid(kPaidAtLeast * paid_ns));
}

}  // namespace compmond::run
