// SPDX-License-Identifier: Apache-2.0
// What is too dear for probes goes on by another engine that sees it for less.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "run/budgeter.h"
#include "text/numbers.h"

namespace compmond::run {

// Of another engine that sees calls, too, for less than half; null: there is none.
const plan::Way* Budgeter::cheaper_way(size_t operation) const {
  const plan::Way* next = plan::next_way(parts_.plan, parts_.states, operation);
  if (!next || next->sampled() || stays_with_probes_[operation]) return nullptr;
  const plan::Way& now = plan::way_of(parts_.plan, parts_.states, operation);
  const double cost_ns = parts_.costs.at(*next).total_ns();
  return cost_ns > 0 && 2 * cost_ns < parts_.costs.at(now).total_ns() ? next : nullptr;
}

// Those that are away and that another engine sees for less go on by that one; returns the others.
Budgeter::Operations Budgeter::change_over(const Operations& operations, const Seen& seen,
                                           uint64_t gone_ns) {
  plan::OperationStates& states = parts_.states;
  Operations over, rest;
  std::map<size_t, size_t> ways;  // before
  for (const size_t i : operations) {
    const plan::Way* way = cheaper_way(i);
    (way ? over : rest).push_back(i);
    if (!way) continue;
    ways[i] = states[i].way;
    states.go_on_by(parts_.plan, i, size_t(way - parts_.plan.operations[i].ways.data()), {});
  }
  if (over.empty()) return rest;
  const std::string engine = plan::way_of(parts_.plan, states, over.front()).engine;
  const auto refused = rehanger_.change_over(over, gone_ns);
  const std::string since = since_start(parts_.clock());
  for (const size_t i : over)
    states.go_on_by(parts_.plan, i, states[i].way,
                    fmt::format("by {} since {}: {}", engine, since, too_dear(i, seen)));
  over_.insert(over.begin(), over.end());
  for (const engine::Placed::Refusal& one : refused) {
    over_.erase(one.operation);
    states.go_on_by(parts_.plan, one.operation, ways[one.operation],
                    fmt::format("not by {}: {}", engine, one.reason));
    stays_with_probes_[one.operation] = true;
    rest.push_back(one.operation);
  }
  if (refused.size() == over.size()) return rest;
  std::string note = fmt::format(
      "{} observed by {} since {}{}, as probes cost more than --max-overhead {:g}: times "
      "before contain what probes cost, windows from then on (--window) do not; --engine {} "
      "observes so from the start",
      text::counted(over_.size(), "operation is", "operations are"), engine, since,
      over_note_.empty() ? "" : " (the last)", percent_, engine);
  parts_.notes.replace(over_note_, note);
  over_note_ = std::move(note);
  return rest;
}

// Where some change over, so do all others that it pays for, at once: what the program calls it
// soon calls more often.
Budgeter::Operations Budgeter::with_those_worth_it(Operations operations, const Seen& seen) const {
  constexpr double kWorthIt = 0.02;  // of the budget
  if (std::ranges::none_of(operations, [this](size_t i) { return cheaper_way(i) != nullptr; }))
    return operations;
  const double least_ns = kWorthIt * percent_ / 100 * seen.cpu_ns;
  for (size_t i = 0; i < seen.loads.size(); ++i)
    if (parts_.states[i].attached() && seen.loads[i].cost_ns > least_ns && cheaper_way(i) &&
        std::ranges::find(operations, i) == operations.end())
      operations.push_back(i);
  return operations;
}

}  // namespace compmond::run
