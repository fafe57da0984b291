// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

namespace compmond {

// Of times that were measured again and again: the mean of their middle half, which what was
// interrupted is not in; 0 of none.
inline double middle_of(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const std::span<double> middle =
      std::span(values).subspan(values.size() / 4, values.size() - 2 * (values.size() / 4));
  return std::accumulate(middle.begin(), middle.end(), 0.0) / double(middle.size());
}

}  // namespace compmond
