// SPDX-License-Identifier: Apache-2.0
#include "hindrance/watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "text/numbers.h"

namespace compmond::hindrance {
namespace {

constexpr uint64_t kLookNs = 1'000'000'000;

bool needs_calls(const plan::Way& way) { return !way.refused && way.needs_calls; }

bool needs_no_calls(const plan::Way& way) { return !way.needs_calls; }

std::vector<size_t> those_that_need_calls(const plan::Plan& plan,
                                          const plan::OperationStates& states) {
  std::vector<size_t> out;
  for (size_t i = 0; i < plan.operations.size(); ++i)
    if (!states[i].refused() && needs_calls(plan::way_of(plan, states, i))) out.push_back(i);
  return out;
}

}  // namespace

Result<std::optional<Watch>> Watch::of(const plan::Plan& plan, Result<Hindrances> hindrances) {
  const bool needed = std::ranges::any_of(plan.operations, [](const plan::PlannedOperation& op) {
    return std::ranges::any_of(op.ways, needs_calls);
  });
  if (!needed) return std::optional<Watch>();
  if (!hindrances) return Unexpected(std::move(hindrances.error()));
  return std::optional(Watch(plan, std::move(*hindrances)));
}

std::vector<size_t> Watch::look(uint64_t now_ns, std::span<const pid_t> processes,
                                plan::OperationStates& states, const Tell& tell) {
  if (now_ns < looked_ns_ + kLookNs) return {};
  const uint64_t stood_ns = std::exchange(looked_ns_, now_ns);
  auto operations = those_that_need_calls(*plan_, states);
  if (operations.empty()) return {};
  const auto found = hindrances_.of(processes);
  if (found.empty()) return {};
  const std::string& why = found.begin()->second;
  size_t refused = 0;
  for (const size_t i : operations) {
    states.missed(i, {stood_ns, now_ns});
    refused += !states.change_over(*plan_, i, now_ns, why, needs_no_calls);
  }
  const auto say = [&](size_t count, const char* what) {
    if (count > 0)
      tell(
          fmt::format("{} {}: {}; calls up to 1 s before may be missing, and the process may have "
                      "noticed",
                      text::counted(count, "operation is", "operations are"), what, why));
  };
  say(operations.size() - refused, "observed at their return instructions from now on");
  say(refused, "not observed any more");
  return operations;
}

std::string note_of_none(const Error& why) {
  return "nobody looks whether a process comes under a tracer, or has its system calls dispatched "
         "or filtered, while it is observed, which can end it (\"exit\": \"ret-sites\" is safe "
         "there): " +
         why.text();
}

}  // namespace compmond::hindrance
