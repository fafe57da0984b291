// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "protocol/view.h"

// The order and nesting of executions and folds, shared by the parts of the timing layout.
namespace compmond::diagrams {

// An execution or a fold of a view.
struct TimingItem {
  bool is_fold = false;
  uint32_t index = 0;  // in the view's executions or folds
  uint32_t operation = 0;
  int64_t pid = 0, tid = 0;
  uint32_t ess = 0;
  uint64_t start_ns = 0, end_ns = 0, raw_ns = 0;
  uint64_t trace_id = 0;  // of an execution
  int64_t parent = -1;    // item that it is directly nested in
};

// By thread, then by start, the outer before the inner.
std::vector<TimingItem> nested_items(const snapshot::ExecutionsView& view);

}  // namespace compmond::diagrams
