// SPDX-License-Identifier: Apache-2.0
#include "run/cost_watch.h"

#include <map>
#include <vector>

#include "figures/cost_check.h"

namespace compmond::run {

void CostWatch::look(const present::RunParts& run, plan::Costs& costs, uint64_t now_ns) {
  looked_ns_ = now_ns;
  costs.forget_corrections();
  std::map<plan::Costs::Class, int> numbers;
  std::vector<int> class_of;
  for (size_t i = 0; i < run.plan.operations.size(); ++i) {
    const plan::Way& way = run.way(i);
    const bool costs_nothing = run.states[i].refused() || costs.at(way).total_ns() <= 0;
    class_of.push_back(
        costs_nothing
            ? -1
            : numbers.try_emplace(plan::Costs::class_of(way), int(numbers.size())).first->second);
  }
  const std::vector<double> shares = figures::possible_shares(
      present::model_of(run), class_of, run.checkpoint, run.processes.cpu_used_ns());
  for (const auto& [which, number] : numbers)
    if (shares[size_t(number)] < 1) costs.correct(which, shares[size_t(number)]);
}

}  // namespace compmond::run
