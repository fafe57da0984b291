// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/result.h"
#include "figures/figures.h"
#include "history/store.h"
#include "present/run_parts.h"
#include "present/trace_analyst.h"
#include "protocol/view.h"
#include "protocol/view_request.h"

namespace compmond::present {

// What the parts of a run do not tell of it.
struct RunStatus {
  bool live = true;
  bool replay = false;
  double events_per_s = 0;
  // Of a replay, as in RunState.
  bool paused = false;
  double speed = 0;
  uint64_t end_ns = 0;
};

// The answer to a view request; all its parts are of the run's one checkpoint. Exit::kData on what
// cannot be answered: an unknown metric, component, operation; numbers out of range. A thread that
// is not known lets nothing pass. `analyst` is the run's, for all its requests.
Result<snapshot::View> answer_view(const RunParts& run, const snapshot::ViewRequest& request,
                                   const RunStatus& status, TraceAnalyst& analyst);

// A request's names and windows, resolved in a run. Errors as in answer_view.
Result<void> check_request(const RunParts& run, const snapshot::ViewRequest& request);
Result<figures::Filter> filter_of(const RunParts& run, const snapshot::ViewFilter& filter);
Window window_of(const RunParts& run, const snapshot::TimeWindow& window);
// Index of a component by its path.
Result<int> component_of(const RunParts& run, const std::string& path);

}  // namespace compmond::present
