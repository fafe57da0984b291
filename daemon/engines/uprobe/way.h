// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "plan/plan.h"

namespace compmond::uprobe {

inline constexpr const char* kEngine = "uprobe";  // name of this engine

// How this engine observes an operation, or a transfer of control, that it planned.
template <class Planned>
const plan::Way& way_of(const Planned& planned) {
  return *std::ranges::find(planned.ways, kEngine, &plan::Way::engine);
}

}  // namespace compmond::uprobe
