// SPDX-License-Identifier: Apache-2.0
#include "history/edge_table.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace compmond::history {

EdgeTotals& EdgeTable::insert(trace::OperationId caller, trace::OperationId callee) {
  const auto place = [this](trace::OperationId from, trace::OperationId to) -> EdgeTotals& {
    size_t i = hash(from, to);
    while (slots_[i & (slots_.size() - 1)].callee != kFree.callee) ++i;
    return slots_[i & (slots_.size() - 1)];
  };
  if (2 * ++used_ > slots_.size()) {
    const std::vector<EdgeTotals> old =
        std::exchange(slots_, std::vector<EdgeTotals>(2 * slots_.size(), kFree));
    for (const EdgeTotals& edge : old)
      if (edge.callee != kFree.callee) place(edge.caller, edge.callee) = edge;
  }
  return place(caller, callee) = {caller, callee, 0, 0};
}

std::vector<EdgeTotals> EdgeTable::edges() const {
  std::vector<EdgeTotals> out;
  out.reserve(used_);
  std::copy_if(slots_.begin(), slots_.end(), std::back_inserter(out),
               [](const EdgeTotals& edge) { return edge.callee != kFree.callee; });
  return out;
}

}  // namespace compmond::history
