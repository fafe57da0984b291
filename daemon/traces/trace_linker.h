// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "core/limits.h"
#include "traces/trace_parts.h"
#include "traces/traced.h"

namespace compmond::traces {

// Turns the traces of threads into traces of whole requests: joins what the arguments of calls say
// belongs together (trace_parts.h), and gives executions their sessions. Traces without links pass
// at once, unchanged; others are held until finish(), or until there are too many of them: then
// what is held is linked and handed on, and what comes later begins anew. One thread.
//
// In a linked trace the parts without a parent stand at the bottom, in the order of their starts; a
// part stands above its parent, among what that one called in the order of starts. Real times stay
// those of the threads. An execution has the session of the nearest one below it that has one, else
// the only one of its trace, else its thread's.
class TraceLinker {
 public:
  using Deliver = std::function<void(const Trace&)>;
  // The id of a linked trace that begins with the execution `eoi`, not the first, of `trace`.
  using Number = std::function<int64_t(int64_t trace, int32_t eoi)>;
  // The catalogue must outlive this. Without `number`, such traces are counted through per log.
  TraceLinker(Catalogue& catalogue, Deliver deliver,
              size_t held_limit = limits::kOpenTraceExecutions, Number number = {})
      : catalogue_(catalogue),
        deliver_(std::move(deliver)),
        held_limit_(held_limit),
        number_(std::move(number)) {}

  void add(const Trace& trace);
  void finish() { link_held(); }

  struct Counts {
    uint64_t traces = 0;  // delivered
    uint64_t linked = 0;  // among them: of more than one part
    uint64_t early = 0;   // times that too much was held
  };
  const Counts& counts() const { return counts_; }

 private:
  struct Held;  // what is known of the traces that are being linked
  void link_held();
  void deliver(const Trace& trace);
  Trace merge(const std::vector<const TracePart*>& parts, const Held& held);
  int64_t id_of(ExecutionPlace first);

  Catalogue& catalogue_;
  Deliver deliver_;
  size_t held_limit_;
  Number number_;
  size_t held_executions_ = 0;
  std::vector<Trace> held_;             // traces of threads, with links
  std::map<int64_t, int64_t> next_id_;  // per log
  Counts counts_;
};

}  // namespace compmond::traces
