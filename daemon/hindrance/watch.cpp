// SPDX-License-Identifier: Apache-2.0
#include "hindrance/watch.h"

#include <algorithm>
#include <utility>

namespace compmond::hindrance {
namespace {

constexpr uint64_t kLookNs = 1'000'000'000;

bool needs_calls(const plan::Way& way) { return !way.refused && way.needs_calls; }

std::vector<size_t> those_that_need_calls(const plan::Plan& plan,
                                          const plan::OperationStates& states) {
  std::vector<size_t> out;
  for (size_t i = 0; i < plan.operations.size(); ++i)
    if (!states[i].refused() && needs_calls(plan::way_of(plan, states, i))) out.push_back(i);
  return out;
}

}  // namespace

std::optional<Watch> Watch::open(const plan::Plan& plan) {
  const bool needed = std::ranges::any_of(plan.operations, [](const plan::PlannedOperation& op) {
    return std::ranges::any_of(op.ways, needs_calls);
  });
  if (!needed) return {};
  auto hindrances = Hindrances::open();
  if (!hindrances) return {};
  return Watch(plan, std::move(*hindrances));
}

std::optional<Watch::Finding> Watch::look(uint64_t now_ns, std::span<const pid_t> processes,
                                          const plan::OperationStates& states) {
  if (now_ns < looked_ns_ + kLookNs) return {};
  const uint64_t stood_ns = std::exchange(looked_ns_, now_ns);
  auto operations = those_that_need_calls(*plan_, states);
  if (operations.empty()) return {};
  const auto found = hindrances_.of(processes);
  if (found.empty()) return {};
  return Finding{found.begin()->second, std::move(operations), stood_ns};
}

}  // namespace compmond::hindrance
