// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "snapshot/snapshot.h"

namespace compmond::snapshot {

bool rests_on_samples(const Snapshot& snapshot) {
  return std::ranges::any_of(snapshot.components,
                             [](const Component& c) { return !c.figures.seen; });
}

bool knows_no_calls(const Snapshot& snapshot) {
  return rests_on_samples(snapshot) &&
         std::ranges::none_of(snapshot.components, [](const Component& c) {
           return c.figures.seen && !c.operations.empty() && c.status != Status::kRefused;
         });
}

}  // namespace compmond::snapshot
