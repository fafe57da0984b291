// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "figures/executions.h"
#include "figures/figures.h"
#include "present/run_parts.h"
#include "snapshot/snapshot.h"

// How a run kept to the objectives of its spec, as snapshots tell it.
namespace compmond::present {

// Beside the figures of an operation, and of a component by its own operations; none without an
// objective that something is held to.
std::optional<snapshot::Slo> operation_slo(const RunParts& run, size_t operation,
                                           const figures::Figures& figures);
std::optional<snapshot::Slo> component_slo(const RunParts& run, int component,
                                           const figures::Figures& figures);

// All of the spec; `result` are the figures of the window and filter. None: it has no objective.
std::optional<snapshot::Objectives> objectives_view(const RunParts& run,
                                                    const figures::Model& model,
                                                    const figures::Result& result,
                                                    const figures::Filter& filter);

// One line for people: what took how long, and when and where.
std::string violation_text(const RunParts& run, const figures::Single& single);

// That the plan holds something to an objective; Exit::kData where a run could never miss one.
Result<void> check_objectives(const plan::Plan& plan, const plan::OperationStates& states);

}  // namespace compmond::present
