// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "snapshot/component.h"

// Components as lists show them: children right below their parents.
namespace compmond::snapshot {

constexpr size_t kNoParent = size_t(-1);
// Of each component the place of its parent; kNoParent where that does not stand before it.
std::vector<size_t> parents_of(const std::vector<Component>& components);

struct Placed {
  size_t component = 0;
  size_t depth = 0;  // 0 at the top
  bool operator==(const Placed&) const = default;
};
// Those of `shown` (in their order in the snapshot), siblings as `before` has them: a strict order
// of any two. One whose parent is not shown stands where that would.
std::vector<Placed> tree_order(const std::vector<size_t>& parents, const std::vector<size_t>& shown,
                               const std::function<bool(size_t, size_t)>& before);

}  // namespace compmond::snapshot
