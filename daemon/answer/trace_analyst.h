// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "analysis/traced.h"
#include "analysis/window_links.h"
#include "analysis/window_traces.h"
#include "answer/analysis_reports.h"
#include "answer/run_parts.h"
#include "base/result.h"
#include "snapshot/analysis_view.h"

namespace compmond::answer {

// Answers analyses of the traces of a run's windows. Keeps what it put together last, since a
// client asks several things of one window, and the numbers of classes. Used by one thread.
class TraceAnalyst {
 public:
  TraceAnalyst();
  // Exit::kData, with its place in the request, on what cannot be answered. A trace or a class that
  // is not there gives an answer with nothing in it. Of `filter`, an execution of a trace must
  // pass.
  Result<snapshot::AnalysisView> answer(const RunParts& run, analysis::Window window,
                                        const analysis::Filter& filter,
                                        const snapshot::AnalysisRequest& request);

 private:
  // Of one window at one moment.
  struct Assembled {
    const history::Store* store = nullptr;
    uint64_t as_of_ns = 0, end_execution = 0;
    analysis::Window window;
    analysis::WindowTraces found;
    std::vector<uint32_t> class_numbers;  // of found.traces
  };
  struct Looked {  // for one trace
    uint64_t id = 0;
    const history::Store* store = nullptr;
    analysis::WindowTraces found;
  };

  void catalogue(const RunParts& run);
  analysis::WindowTraces traces_of(const RunParts& run, analysis::Window window);
  void assemble(const RunParts& run, analysis::Window window);
  const analysis::WindowTraces& look_for(const RunParts& run, uint64_t id);
  analysis::WindowTraces look_back_for(const RunParts& run, uint64_t id);
  std::vector<uint32_t> number(const std::vector<analysis::Trace>& traces);
  Chosen choose(const RunParts& run, const analysis::Filter& filter, const analysis::Filter& wanted,
                const snapshot::AnalysisRequest& request) const;

  analysis::Catalogue catalogue_;
  analysis::CatalogueNumbers numbers_;  // of the run's operations
  analysis::WindowLinks links_;
  std::vector<analysis::OperationId> operation_of_;  // one of the run, per one of the catalogue
  std::optional<Assembled> assembled_;
  std::optional<Looked> looked_;
  std::unordered_map<uint64_t, uint32_t> class_numbers_;  // by control flow
};

// What is wrong with a request, as in answer(), but for names.
Result<void> check_analysis(const snapshot::AnalysisRequest& request);

}  // namespace compmond::answer
