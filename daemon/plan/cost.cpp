// SPDX-License-Identifier: Apache-2.0
#include "plan/cost.h"

namespace compmond::plan {

void Costs::add(const Costs& other) {
  costs_.insert(other.costs_.begin(), other.costs_.end());
  measured_ = measured_ && other.measured_;
}

Cost Costs::at(std::string_view engine, std::string_view site, spec::ExitMode exit) const {
  const auto found = costs_.find(std::tie(engine, site, exit));
  return found == costs_.end() ? Cost{} : found->second;
}

}  // namespace compmond::plan
