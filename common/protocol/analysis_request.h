// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "snapshot/words.h"

// What a client of the daemon may ask about the traces of a window, or its samples. Part of the
// protocol compmond.view/1. Times are ns as in view.h.
namespace compmond::snapshot {

struct AnalysisRequest {
  Word<Report> report;
  Word<Level> level;  // of dependency-graph and markov; empty: component
  // Of trace and call-tree: that trace alone. Of call-tree also: nothing of both = all traces of
  // the window, aggregated.
  std::optional<uint64_t> trace;
  // Of traces, trace, call-tree: traces of that class, as "classes" numbers them (from 1; a class
  // keeps its number throughout the run); "trace" gives its representative.
  std::optional<uint32_t> class_number;
  std::string search;  // traces, classes: with an operation or component so named, any case
  uint64_t min_duration_ns = 0;  // traces that last that long at least
  Word<Sort> sort;               // of traces; empty: start
  bool ascending = false;        // else the newest, longest … come first
  uint32_t limit = 1000;         // rows, executions, nodes: 1 to 20,000
  // All but a single trace: traces with an execution of this component (a path; or of one inside
  // it), of this operation (a name). Empty: of any. Of inside: the part that is looked into, so one
  // of both; an operation by its component, too, where several have its name.
  std::string component, operation;
  bool alone = false;  // of inside: the component without those inside it
  bool operator==(const AnalysisRequest&) const = default;
};

}  // namespace compmond::snapshot
