// SPDX-License-Identifier: Apache-2.0
#include "app/run_parts.h"

#include <algorithm>

namespace compmond::app {

analysis::Model model_of(const RunParts& run) {
  analysis::Model model;
  for (const probe::PlannedOperation& op : run.plan.operations) {
    const probe::Cost cost = run.costs.at(op.entry_site, op.exit_mode);
    model.component_of.push_back(op.component);
    model.inside_ns.push_back(cost.inside_ns);
    model.outside_ns.push_back(cost.outside_ns);
  }
  for (const spec::Component& component : run.spec.components)
    model.parent_of.push_back(component.parent);
  return model;
}

const capture::ThreadInfo& thread_of(const RunParts& run, trace::ThreadId id) {
  static const capture::ThreadInfo kNone;
  const auto& threads = run.checkpoint.threads;
  const bool older = !threads.empty() && threads.front().thread == history::kOlderThreads;
  const auto begin = threads.begin() + (older ? 1 : 0);
  const auto found =
      std::ranges::lower_bound(begin, threads.end(), id, {}, &history::ThreadTotals::thread);
  return found != threads.end() && found->thread == id ? found->info : kNone;
}

}  // namespace compmond::app
