// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "present/run_parts.h"
#include "protocol/analysis_request.h"
#include "protocol/analysis_view.h"
#include "reports/reports.h"
#include "traces/traced.h"
#include "traces/window_links.h"
#include "traces/window_traces.h"

namespace compmond::present {

// Answers analyses of a run's windows: of traces here, of samples by inside.h. Keeps what it put
// together last, since a client asks several things of one window, and the numbers of classes. Used
// by one thread.
class TraceAnalyst {
 public:
  TraceAnalyst();
  // Exit::kData, with its place in the request, on what cannot be answered. A trace or a class that
  // is not there gives an answer with nothing in it. Of `filter`, an execution of a trace must
  // pass.
  Result<snapshot::AnalysisView> answer(const RunParts& run, Window window,
                                        const figures::Filter& filter,
                                        const snapshot::AnalysisRequest& request);
  // How many names of sessions it keeps.
  size_t sessions() const { return catalogue_.sessions().size(); }

 private:
  // Of one window at one moment.
  struct Assembled {
    const history::Store* store = nullptr;
    uint64_t as_of_ns = 0, end_execution = 0;
    Window window;
    traces::WindowTraces found;
    std::vector<uint32_t> class_numbers;  // of found.traces
  };
  struct Looked {  // for one trace
    uint64_t id = 0;
    const history::Store* store = nullptr;
    traces::WindowTraces found;
  };

  void catalogue(const RunParts& run);
  void catalogue_programs(const RunParts& run);
  void bound_sessions();
  traces::WindowTraces traces_of(const RunParts& run, Window window);
  void assemble(const RunParts& run, Window window);
  const traces::WindowTraces& look_for(const RunParts& run, uint64_t id);
  traces::WindowTraces look_back_for(const RunParts& run, uint64_t id);
  std::vector<uint32_t> number(const std::vector<traces::Trace>& traces);
  Chosen choose(const RunParts& run, const figures::Filter& filter, const figures::Filter& wanted,
                const snapshot::AnalysisRequest& request) const;

  traces::Catalogue catalogue_;
  traces::RunOperations operations_;
  traces::WindowLinks links_;
  std::vector<figures::OperationId> operation_of_;  // one of the run, per one of the catalogue
  std::optional<Assembled> assembled_;
  std::optional<Looked> looked_;
  std::unordered_map<uint64_t, uint32_t> class_numbers_;  // by control flow
};

// What is wrong with a request, as in answer(), but for names.
Result<void> check_analysis(const snapshot::AnalysisRequest& request);

}  // namespace compmond::present
