// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "diagrams/trace_steps.h"
#include "graphs/naming.h"
#include "traces/traced.h"

namespace compmond::drawing {

// A trace in the terms of the diagrams: step i is the trace's execution i.
struct DrawnTrace {
  // An operation per name of `naming`: what a row of the timing is.
  DrawnTrace(const traces::Trace& trace, const traces::Catalogue& catalogue, graphs::Naming naming);
  // Operations of the program, in components named after `naming`: what a lifeline is.
  static DrawnTrace with_lifelines(const traces::Trace& trace, const traces::Catalogue& catalogue,
                                   graphs::Naming naming);

  const std::string& operation(size_t step) const { return operations[steps[step].operation].name; }
  uint64_t raw_ns(size_t step) const { return steps[step].end_ns - steps[step].start_ns; }
  operator diagrams::TraceSteps() const { return {operations, steps}; }

  diagrams::TraceSteps::Operations operations;
  diagrams::TraceSteps::Steps steps;

 private:
  explicit DrawnTrace(const traces::Trace& trace);
};

}  // namespace compmond::drawing
