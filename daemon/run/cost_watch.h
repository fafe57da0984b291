// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "plan/cost.h"
#include "present/run_parts.h"

namespace compmond::run {

// Keeps in `costs` what the calls of the run so far show of them (figures/cost_check.h). One
// thread.
class CostWatch {
 public:
  bool due(uint64_t now_ns) const { return now_ns - looked_ns_ >= kEveryNs; }
  void look(const present::RunParts& run, plan::Costs& costs, uint64_t now_ns);

 private:
  static constexpr uint64_t kEveryNs = 1'000'000'000;
  uint64_t looked_ns_ = 0;
};

}  // namespace compmond::run
