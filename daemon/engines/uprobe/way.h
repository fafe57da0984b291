// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "plan/plan.h"

namespace compmond::uprobe {

inline constexpr const char* kEngine = "uprobe";  // name of this engine

// How this engine watches a transfer of control that it planned.
inline const plan::Way& way_of(const plan::PlannedTransfer& transfer) {
  return *std::ranges::find(transfer.ways, kEngine, &plan::Way::engine);
}

}  // namespace compmond::uprobe
