// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "budget/budget.h"
#include "plan/busy.h"

namespace compmond::run {

// Of what is observed at a look.
struct Observed {
  bool transfers = false;  // are watched, and were all the while
  // Calls per ns of the targets' own CPU time of what is away, as slices tell. 0: nothing is; none:
  // not known.
  std::optional<double> away_per_ns;
};

// Learns from a look what it would be like if everything was observed; what it does not tell stays
// as it was. Pure.
void foresee(const Seen& seen, const Observed& observed, plan::Busy& busy);

}  // namespace compmond::run
