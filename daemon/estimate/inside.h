// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "estimate/estimates.h"
#include "estimate/sample_store.h"
#include "stacks/functions.h"

namespace compmond::estimate {

// What is looked into: an operation, or the operations of a component, or those of all it contains;
// or all that was sampled, from the threads' first functions on.
struct Part {
  enum class Kind : uint8_t { kOperation, kComponent, kSubtree, kAll };
  Kind kind = Kind::kComponent;
  int index = 0;
};

struct CallNode {
  FunctionId function;
  int parent = -1;            // index, before it; -1: the root, which has no function
  std::vector<int> children;  // indices, the one with the most time first
  Times own;                  // at the end of the path from the root
  Times total;                // with all below
};

struct FunctionTimes {
  FunctionId function;
  Times own, total;  // total: once per sample, however often it is on the stack
};                   // lower bounds where a cut stack may hide that the part called it

// From the newest samples, as many as are still there in full. Values are of the part's samples in
// the window; shares' intervals are of all samples that are there.
struct Inside {
  std::vector<CallNode> callees;         // from the part's outermost frame to the innermost frame
  std::vector<CallNode> callers;         // from there outwards, to the thread's first frame
  std::vector<FunctionTimes> functions;  // of `callees`, the one with the most own time first
  Times total;                           // of the part; a lower bound likewise
  bool complete = true;                  // false: the window begins before the oldest sample
  uint64_t without_stack = 0;  // samples in the window, of whatever part, whose stack is forgotten
  uint64_t folded = 0;         // samples whose path ends early: the tree has limits::kInsideNodes
};

Inside inside(const SampleStore& store, Part part, Window window);

}  // namespace compmond::estimate
