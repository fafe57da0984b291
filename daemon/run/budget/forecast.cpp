// SPDX-License-Identifier: Apache-2.0
#include "budget/forecast.h"

#include <algorithm>

namespace compmond::run {
namespace {

// Of the CPU time at least that is the targets' own, whatever costs say, as these are estimates.
constexpr double kOwnAtLeast = 0.05;

}  // namespace

void foresee(const Seen& seen, const Observed& observed, plan::Busy& busy) {
  if (seen.cpu_ns <= 0 || seen.wall_ns <= 0) return;
  double own_ns = seen.cpu_ns - seen.transfers_ns, calls = 0;
  for (const Seen::Load& load : seen.loads) {
    own_ns -= load.cost_ns;
    calls += double(load.calls - load.strangers);  // these do not tell of theirs
  }
  own_ns = std::max(own_ns, kOwnAtLeast * seen.cpu_ns);
  if (observed.transfers)
    busy.transfers_pct = 100 * seen.transfers_ns / (own_ns + seen.transfers_ns);
  if (!observed.away_per_ns) return;
  const double per_ns = calls / own_ns + *observed.away_per_ns;
  if (per_ns > 0) busy.whole_calls_s = 1e9 * per_ns * seen.cpu_ns / seen.wall_ns;
}

}  // namespace compmond::run
