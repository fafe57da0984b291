// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "analysis/executions.h"
#include "analysis/figures.h"
#include "answer/run_parts.h"
#include "base/result.h"
#include "snapshot/snapshot.h"

// How a run kept to the objectives of its spec, as snapshots tell it.
namespace compmond::answer {

// Beside the figures of an operation, and of a component by its own operations; none without an
// objective that something is held to.
std::optional<snapshot::Slo> operation_slo(const RunParts& run, size_t operation,
                                           const analysis::Figures& figures);
std::optional<snapshot::Slo> component_slo(const RunParts& run, int component,
                                           const analysis::Figures& figures);

// All of the spec; `result` are the figures of the window and filter. None: it has no objective.
std::optional<snapshot::Objectives> objectives_view(const RunParts& run,
                                                    const analysis::Model& model,
                                                    const analysis::Result& result,
                                                    const analysis::Filter& filter);

// One line for people: what took how long, and when and where.
std::string violation_text(const RunParts& run, const analysis::Single& single);

// That the plan holds something to an objective; Exit::kData where a run could never miss one.
Result<void> check_objectives(const probe::Plan& plan);

}  // namespace compmond::answer
