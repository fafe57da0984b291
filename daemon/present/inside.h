// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "base/window.h"
#include "estimate/inside.h"
#include "present/run_parts.h"
#include "protocol/analysis_request.h"
#include "protocol/analysis_view.h"

namespace compmond::present {

// The part that a component's path or an operation's name means; `alone`: the component without
// those inside it. Exit::kData, with the nearest names, where there is none; where it takes the
// component's path, too, to tell which operation.
Result<estimate::Part> part_of(const spec::Spec& spec, const plan::Plan& plan,
                               const std::string& component, const std::string& operation,
                               bool alone);

// What to ask for the part that one word names: a component's path or its last name, where one
// alone has it, or an operation's name. Errors likewise, and where there are no samples.
Result<snapshot::AnalysisRequest> inside_request(const spec::Spec& spec, const plan::Plan& plan,
                                                 const std::string& name, bool samples);

// The report: at most `limit` functions (and those that nodes have), callees and callers, those
// with the most time. `left_out` is raised by how many more there are.
snapshot::Inside inside_report(const estimate::SampleStore& store, estimate::Part part,
                               Window window, size_t limit, uint64_t& left_out);

// The answer to a checked request. Errors as of part_of, and where the run takes no samples.
Result<snapshot::AnalysisView> answer_inside(const RunParts& run, Window window,
                                             const snapshot::AnalysisRequest& request);

}  // namespace compmond::present
