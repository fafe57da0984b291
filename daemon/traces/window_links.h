// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>

#include "traces/window_traces.h"

namespace compmond::traces {

// Joins the traces of a window by what arguments of their calls said (trace_linker.h), and keeps
// the numbers of those that begin inside what was the trace of a thread, so that a trace has the
// same one whenever it is asked for. Used by one thread.
class WindowLinks {
 public:
  // Sessions are numbered there; it must outlive this.
  explicit WindowLinks(Catalogue& catalogue) : catalogue_(catalogue) {}

  // Leaves out, as partial, the traces of which it is no longer known what was said.
  void join(const history::Store& store, const history::Checkpoint& checkpoint,
            WindowTraces& traces);

  // The trace of a thread in which the one with this id begins: itself, unless it was joined.
  uint64_t thread_trace(uint64_t id) const;

 private:
  int64_t number(int64_t trace, int32_t eoi);

  Catalogue& catalogue_;
  std::unordered_map<int64_t, std::unordered_map<int32_t, int64_t>> numbers_;  // by trace, eoi
  std::unordered_map<int64_t, int64_t> origins_;  // of numbers: that trace
  int64_t given_ = 0;
};

}  // namespace compmond::traces
