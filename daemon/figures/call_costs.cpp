// SPDX-License-Identifier: Apache-2.0
#include "figures/call_costs.h"

#include <algorithm>

namespace compmond::figures {
namespace {

// Members of the model that say less than others do are empty.
double at(const std::vector<double>& ns, OperationId op) { return op < ns.size() ? ns[op] : 0; }

}  // namespace

CallCosts call_costs(const Model& model, const history::Checkpoint& checkpoint) {
  CallCosts out;
  for (OperationId op = 0; op < model.component_of.size(); ++op) {
    double cheap = 0, left = 0;  // shares
    if (op < checkpoint.operations.size()) {
      const history::OperationTotals& totals = checkpoint.operations[op];
      uint64_t ended = 0, without = 0;
      for (int reason = 0; reason < trace::kClosedReasons; ++reason) {
        ended += totals.closed[reason];
        if (trace::left_without_return(trace::Closed(reason))) without += totals.closed[reason];
      }
      if (ended > 0) {
        cheap = double(totals.cheap_exits) / double(ended);
        left = double(without) / double(ended);
      }
    }
    out.inside_ns.push_back(
        std::max(0.0, at(model.inside_ns, op) - left * at(model.left_inside_less_ns, op)));
    out.outside_ns.push_back(std::max(0.0, at(model.outside_ns, op) -
                                               cheap * at(model.cheap_less_ns, op) -
                                               left * at(model.left_outside_less_ns, op)));
  }
  return out;
}

}  // namespace compmond::figures
