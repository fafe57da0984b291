// SPDX-License-Identifier: Apache-2.0
#include "budget/see_all.h"

namespace compmond::run {

std::vector<bool> see_all(const plan::Plan& plan, bool exit_on_slo) {
  std::vector<bool> out;
  for (const plan::PlannedOperation& op : plan.operations)
    out.push_back(op.landmark || !op.contexts.empty() || (exit_on_slo && op.slo_ms > 0));
  return out;
}

}  // namespace compmond::run
