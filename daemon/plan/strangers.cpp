// SPDX-License-Identifier: Apache-2.0
#include "plan/strangers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numeric>
#include <set>

#include "text/numbers.h"

namespace compmond::plan {

uint64_t Strangers::all_calls() const {
  return std::accumulate(calls.begin(), calls.end(), uint64_t(0));
}

double Strangers::all_cost_ns() const {
  return std::accumulate(cost_ns.begin(), cost_ns.end(), 0.0);
}

uint64_t Strangers::calls_since(size_t operation, const Strangers& then) const {
  if (operation >= calls.size()) return 0;
  return calls[operation] - (operation < then.calls.size() ? then.calls[operation] : 0);
}

double Strangers::cost_since_ns(size_t operation, const Strangers& then) const {
  const uint64_t since = calls_since(operation, then);
  return since == 0 ? 0 : cost_ns[operation] / double(calls[operation]) * double(since);
}

std::vector<std::string> files_of(const Strangers& strangers, const Plan& plan) {
  std::set<std::string> out;
  for (size_t i = 0; i < strangers.calls.size(); ++i)
    if (strangers.calls[i] > 0 && plan.operations[i].image >= 0)
      out.insert(plan.images[size_t(plan.operations[i].image)].path);
  return {out.begin(), out.end()};
}

std::string note_of(const Strangers& strangers, const Plan& plan) {
  const uint64_t calls = strangers.all_calls();
  if (calls == 0) return {};
  const bool one = strangers.processes == 1 && !strangers.more;
  return fmt::format(
      "{}{} not observed run{} with probes in {}: {}, which took some {:.3g} ms of their time; "
      "that "
      "counts for --max-overhead. To spare them, begin anew while they run (what they map is then "
      "probed process by process), or use --engine sampling",
      strangers.more ? "at least " : "",
      one ? std::string("a process that is")
          : fmt::format("{} processes that are", strangers.processes),
      one ? "s" : "", fmt::join(files_of(strangers, plan), ", "), text::counted(calls, "call"),
      strangers.all_cost_ns() / 1e6);
}

}  // namespace compmond::plan
