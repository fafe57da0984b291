// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "protocol/analysis_view.h"

namespace compmond::ui {

// A trace that an analysis answered, borrowed from it.
struct AnsweredTrace {
  const snapshot::TraceRow& row;
  const std::vector<snapshot::OneTrace::Step>& steps;                // its executions by eoi
  const std::vector<snapshot::AnalysisView::Operation>& operations;  // that these number
  uint64_t left_out;                                                 // executions after the steps
  std::optional<double> observed_share;                              // as of AnalysisView

  const snapshot::AnalysisView::Operation& operation(const snapshot::OneTrace::Step& of) const {
    return operations[of.operation];
  }
};

// None where the answer is another report, or says that the trace is not there.
inline std::optional<AnsweredTrace> answered_trace(const snapshot::AnalysisView& answer) {
  const auto* one = answer.as<snapshot::OneTrace>();
  if (!one || !one->trace) return std::nullopt;
  return AnsweredTrace{*one->trace, one->steps, answer.operations, answer.left_out,
                       answer.observed_share};
}

}  // namespace compmond::ui
