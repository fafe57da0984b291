// SPDX-License-Identifier: Apache-2.0
#include "history/edge_table.h"

namespace compmond::history {

std::vector<EdgeTotals> EdgeTable::edges() const {
  std::vector<EdgeTotals> out;
  out.reserve(edges_.size());
  for (const auto& [key, sums] : edges_)
    out.push_back({sums, trace::OperationId(key >> 32), trace::OperationId(key)});
  return out;
}

}  // namespace compmond::history
