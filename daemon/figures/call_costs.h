// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "figures/figures.h"

namespace compmond::figures {

// What one call of each operation cost on average, ns, as far as its calls have ended: one that was
// left at a cheap exit (record::kCheapExit), or without any, cost less than Model has it, one that
// stayed (record::kStayed) more.
struct CallCosts {
  std::vector<double> inside_ns, outside_ns;  // as plan::Cost
  double total_ns(OperationId op) const { return inside_ns[op] + outside_ns[op]; }
};
CallCosts call_costs(const Model& model, const history::Checkpoint& checkpoint);

// What the raw time of one call of each operation contains of the probes, ns, on average over the
// whole run: its own inside, and all of the calls below it, up to 64 deep. A call of an operation
// to itself counts without those below it: how deep such calls go is not known.
std::vector<double> contained_cost(const CallCosts& costs, const history::Checkpoint& checkpoint);

// What a single one cost, as far as it is to be taken out.
struct CallCost {
  double inside_ns = 0, outside_ns = 0;
};
CallCost cost_of(const Model& model, const trace::Execution& execution);

}  // namespace compmond::figures
