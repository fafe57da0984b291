// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graphs/equivalence.h"
#include "graphs/messages.h"
#include "graphs/naming.h"

namespace compmond::graphs {

// A trace, or a class of equal traces, as a UML sequence diagram: lifelines and the messages
// between them.
struct Sequence {
  int64_t trace_id = 0;                // of the class: its representative
  uint64_t cardinality = 1;            // traces it stands for
  uint64_t start_ns = 0;               // of the (representative) trace
  std::vector<std::string> lifelines;  // in the order of their first call
  struct Step {
    Message::Kind kind = Message::Kind::kCall;
    int32_t from = -1, to = -1;  // lifelines; -1: outside
    std::string operation;       // called, or returning from
    uint64_t at_ns = 0;          // of the representative
    RawTimes raw;                // of the called execution, over all traces
    int32_t depth = 0;           // ess of the called execution
    bool failed = false;         // in the representative
  };
  std::vector<Step> steps;
};
// Lifelines are things of naming.level; at level operation they are components too, since a message
// already names its operation.
Sequence sequence(const EquivalenceClass& of, const traces::Catalogue& catalogue, Naming naming);
Sequence sequence(const traces::Trace& trace, const traces::Catalogue& catalogue, Naming naming);

// Executions of one trace over its time: a row per operation, ordered by first start.
struct TraceTiming {
  int64_t trace_id = 0;
  uint64_t start_ns = 0, end_ns = 0;
  struct Bar {
    uint64_t start_ns = 0, end_ns = 0;
    int32_t eoi = 0, ess = 0;
    bool failed = false;
  };
  struct Row {
    std::string operation;
    std::vector<Bar> bars;
  };
  std::vector<Row> rows;
};
TraceTiming trace_timing(const traces::Trace& trace, const traces::Catalogue& catalogue,
                         Naming naming);

}  // namespace compmond::graphs
