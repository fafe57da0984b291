// SPDX-License-Identifier: Apache-2.0
#include "plan/cost.h"

#include <algorithm>

namespace compmond::plan {

void Costs::add(const Costs& other) {
  costs_.insert(other.costs_.begin(), other.costs_.end());
  measured_ = measured_ && other.measured_;
}

Cost Costs::at(std::string_view engine, std::string_view site, spec::ExitMode exit) const {
  const auto found = costs_.find(std::tie(engine, site, exit));
  if (found == costs_.end()) return {};
  const auto corrected = corrections_.find(std::tie(engine, site, exit));
  return corrected == corrections_.end() ? found->second : found->second.times(corrected->second);
}

Cost Costs::measured(const Way& way) const {
  const auto found = costs_.find(class_of(way));
  return found == costs_.end() ? Cost{} : found->second;
}

const Way* watched_by(const PlannedTransfer& transfer) {
  const auto found = std::ranges::find_if(
      transfer.ways, [](const Way& way) { return !way.refused && !way.sampled(); });
  return found == transfer.ways.end() ? nullptr : &*found;
}

double transfers_ns(const Plan& plan, const Costs& costs, const uint64_t (&counts)[kTransfers]) {
  double dearest[kTransfers] = {};
  for (const PlannedTransfer& transfer : plan.transfers)
    if (const Way* way = watched_by(transfer))
      dearest[size_t(transfer.kind)] =
          std::max(dearest[size_t(transfer.kind)], costs.at(*way).total_ns());
  double out = 0;
  for (size_t kind = 0; kind < kTransfers; ++kind) out += double(counts[kind]) * dearest[kind];
  return out;
}

}  // namespace compmond::plan
