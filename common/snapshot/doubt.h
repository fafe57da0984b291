// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "snapshot/snapshot.h"

// What may be told of that which was not met.
namespace compmond::snapshot {

// Why there may have been calls in the window although these figures have none: "not seen in 1,204
// samples", "not seen while observed 83.0 %". Empty: there was none.
std::string doubt_of_none(const Snapshot& snapshot, const Figures& figures);
// Likewise, of a component's own operations, some of which may not be observed.
std::string doubt_of_none(const Snapshot& snapshot, const Component& component);
// Likewise, of calls between two components.
std::string doubt_of_none(const Snapshot& snapshot, const Edge& edge);

}  // namespace compmond::snapshot
