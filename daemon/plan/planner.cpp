// SPDX-License-Identifier: Apache-2.0
#include "plan/planner.h"

#include <algorithm>
#include <utility>

namespace compmond::plan {

Planners::Planners(const std::vector<PlannerOf>& engines,
                   const std::vector<Candidate>& candidates) {
  for (const PlannerOf& one : engines) all_.push_back({one.engine, one.make(candidates)});
}

bool Planners::have(const std::string& engine) const {
  return std::ranges::find(all_, engine, &One::engine) != all_.end();
}

std::vector<Way> Planners::ways(const Wanted& wanted, const std::string& engine) const {
  std::vector<Way> out;
  for (const One& one : all_)
    for (Way& way : one.planner->plan(wanted)) out.emplace_back(std::move(way)).engine = one.engine;
  if (!have(engine)) return out;
  const auto its = [&](const Way& way) { return way.engine == engine; };
  std::erase_if(out, [&](const Way& way) { return way.writes_code() && !its(way); });
  std::ranges::stable_partition(out, its);
  return out;
}

}  // namespace compmond::plan
