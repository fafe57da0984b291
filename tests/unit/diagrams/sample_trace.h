// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagrams/trace_steps.h"

namespace compmond::diagrams {

// A made-up trace.
struct SampleTrace {
  TraceSteps::Operations operations;
  TraceSteps::Steps steps;
  operator TraceSteps() const { return {operations, steps}; }
};

}  // namespace compmond::diagrams
