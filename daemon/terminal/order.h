// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "snapshot/snapshot.h"
#include "snapshot/tree_order.h"

namespace compmond::terminal {

// The components in the order of the table: siblings by the hottest of what they contain, then by
// net real time, with children right below their parent. A component whose parent does not stand
// before it is taken for a top one.
std::vector<snapshot::Placed> by_heat(const snapshot::Snapshot& snapshot);

// A component without operations of its own that only holds others together.
inline bool only_groups(const snapshot::Component& c) {
  return c.operations.empty() && c.status != snapshot::Status::kRefused;
}

// Why nothing of a refused component is observed.
std::string refusal(const snapshot::Component& component);

struct Totals {
  uint64_t calls = 0, open = 0;
  uint64_t net_real_ns = 0;  // as probes saw it
  bool at_least = false;     // some calls were not seen
  bool uncertain = false;    // probes were away, and no samples tell the time
  uint64_t operations = 0;   // attached and refused
};
Totals totals(const snapshot::Snapshot& snapshot);

}  // namespace compmond::terminal
