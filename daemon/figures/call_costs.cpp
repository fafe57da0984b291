// SPDX-License-Identifier: Apache-2.0
#include "figures/call_costs.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace compmond::figures {
namespace {

// Members of the model that say less than others do are empty.
double at(const std::vector<double>& ns, OperationId op) { return op < ns.size() ? ns[op] : 0; }

// Of an operation of whose calls these shares were left at a cheap exit, and without any, and that
// stayed so often on average.
CallCost cost_of(const Model& model, OperationId op, double cheap, double left, double stays) {
  return {std::max(0.0, at(model.inside_ns, op) - left * at(model.left_inside_less_ns, op)) +
              stays * at(model.stay_ns, op),
          std::max(0.0, at(model.outside_ns, op) - cheap * at(model.cheap_less_ns, op) -
                            left * at(model.left_outside_less_ns, op))};
}

}  // namespace

CallCost cost_of(const Model& model, const trace::Execution& execution) {
  if (model.raw_costs) return {};
  CallCost out = cost_of(model, execution.op, execution.flags & trace::kCheapExit ? 1 : 0,
                         trace::left_without_return(execution.reason) ? 1 : 0, execution.stays);
  if (execution.flags & trace::kEntryOnly) out.inside_ns = 0;
  return out;
}

CallCosts call_costs(const Model& model, const history::Checkpoint& checkpoint) {
  CallCosts out;
  for (OperationId op = 0; op < model.component_of.size(); ++op) {
    double cheap = 0, left = 0, stays = 0;  // per call
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
        stays = double(totals.stays) / double(ended);
      }
    }
    const CallCost cost = cost_of(model, op, cheap, left, stays);
    out.inside_ns.push_back(cost.inside_ns);
    out.outside_ns.push_back(cost.outside_ns);
  }
  return out;
}

std::vector<double> contained_cost(const CallCosts& costs, const history::Checkpoint& checkpoint) {
  constexpr int kPasses = 64;
  constexpr double kMost = 1e18, kSame = 1e-3;
  std::vector<double> out = costs.inside_ns;
  bool same = false;
  for (int pass = 0; pass < kPasses && !same; ++pass) {
    std::vector<double> next = costs.inside_ns;
    for (const history::EdgeTotals& edge : checkpoint.edges) {
      if (edge.calls == 0 || edge.caller >= out.size() || edge.callee >= out.size()) continue;
      if (edge.caller >= checkpoint.operations.size()) continue;
      const uint64_t callers = std::max<uint64_t>(1, checkpoint.operations[edge.caller].calls);
      double& to = next[edge.caller];
      const auto& inside = edge.caller == edge.callee ? costs.inside_ns : out;
      to += double(edge.calls) / double(callers) *
            (costs.outside_ns[edge.callee] + inside[edge.callee]);
      to = std::min(to, kMost);
    }
    same = std::ranges::equal(next, out,
                              [](double a, double b) { return std::abs(a - b) <= a * kSame; });
    out = std::move(next);
  }
  return out;
}

}  // namespace compmond::figures
