// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "figures/figures.h"
#include "present/run_parts.h"
#include "protocol/view_request.h"

namespace compmond::present {

// A request's names and windows, resolved in a run. Errors as in answer_view.
Result<void> check_request(const RunParts& run, const snapshot::ViewRequest& request);
Result<figures::Filter> filter_of(const RunParts& run, const snapshot::ViewFilter& filter);
Window window_of(const RunParts& run, const snapshot::TimeWindow& window);
// Index of a component by its path.
Result<int> component_of(const RunParts& run, const std::string& path);

}  // namespace compmond::present
