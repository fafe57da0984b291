// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "figures/figures.h"
#include "trace/execution.h"

namespace compmond::figures {

// An execution, closed or still open.
struct Single {
  trace::Execution execution;  // whole, not clipped; an open one ends at the checkpoint's now
  bool open = false;           // execution.reason then means nothing
  uint64_t real_ns() const { return execution.end_ns - execution.start_ns - execution.nested_ns; }
};

Single as_single(const trace::OpenExecution& open, uint64_t now_ns);

// Neighbours of one operation on one thread, each shorter than a pixel and no further apart.
struct Fold {
  OperationId op = 0;
  trace::ThreadId thread = 0;
  uint16_t ess = 0;                   // the smallest
  uint64_t start_ns = 0, end_ns = 0;  // from the first one's start to the last one's end
  uint64_t count = 0, raw_ns = 0, real_ns = 0;
  uint64_t violations = 0;  // of them: missed the operation's objective
};

struct Executions {
  std::vector<Single> singles;  // by start
  std::vector<Fold> folds;      // by start; of two executions at least
  uint64_t left_out = 0;        // executions beyond the limit
  bool partial = false;         // the window reaches back before what is retained
};

// The executions that overlap the window. Those shorter than 1/pixels of it are folded with their
// neighbours; of singles and folds together the `limit` longest stay. One pass over what is
// retained of the window; memory in proportion to `limit` and the pairs of operation and thread.
Executions executions(const history::Store& store, const history::Checkpoint& checkpoint,
                      const Model& model, Window window, size_t pixels, size_t limit,
                      const Filter& filter = {});

// The newest `most` executions of the window, the open ones and then those that closed last; by
// start.
Executions newest_executions(const history::Store& store, const history::Checkpoint& checkpoint,
                             const Model& model, Window window, size_t most,
                             const Filter& filter = {});

}  // namespace compmond::figures
