// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "protocol/analysis_view.h"

namespace compmond::diagrams {

// What a trace is drawn of: its executions, callers first, and the operations that they name. Both
// stay their owner's.
struct TraceSteps {
  using Operations = std::vector<snapshot::AnalysisView::Operation>;
  using Steps = std::vector<snapshot::OneTrace::Step>;
  TraceSteps(const Operations& all_operations, const Steps& all_steps)
      : operations(all_operations), steps(all_steps) {}

  const Operations& operations;
  const Steps& steps;
};

}  // namespace compmond::diagrams
