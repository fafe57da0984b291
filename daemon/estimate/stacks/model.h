// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace compmond::estimate {

// What attribution needs to know of the plan: where the operations' code is.
struct Model {
  struct Range {
    uint64_t vaddr = 0, size = 0;
  };
  struct Operation {
    int component = 0;
    uint64_t device = 0, inode = 0;  // of its file; 0: not known
    std::string build_id;            // lowercase hex, or empty
    std::vector<Range> ranges;       // its function and the cold parts of it; none overlap
    bool ends_in_jump = false;       // to another function: it is on no stack while that one runs
    bool waits = false;              // by the spec it does nothing else
  };
  std::vector<Operation> operations;  // by operation id
  std::vector<int> parent_of;         // per component, -1 at the top; a component is not in itself
};

}  // namespace compmond::estimate
