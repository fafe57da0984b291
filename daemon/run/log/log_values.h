// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/engines.h"
#include "log_format/header.h"
#include "plan/cost.h"
#include "plan/plan.h"
#include "plan/states.h"
#include "plan/strangers.h"
#include "spec/model.h"
#include "target/observed.h"

// What a run is made of, as a log holds it; replay/logged_run.h reads it back.
namespace compmond::run {

// All but the moment (start_ns, begin_ns, state) and the sizes of the run.
recording::Header log_header(const spec::Spec& spec, const plan::Plan& plan,
                             const plan::OperationStates& states, const plan::Costs& costs,
                             std::vector<snapshot::Health::Engine> engines);

// Those at work, as snapshots and logs tell of them.
std::vector<snapshot::Health::Engine> engines_of(const engine::Captures& captures);
// Likewise; none where no call of such a process was seen. `cpu_used_ns`: by the targets so far.
std::optional<snapshot::Health::Strangers> strangers_of(const plan::Strangers& told,
                                                        const plan::Plan& plan,
                                                        uint64_t cpu_used_ns);
// As of now, for the `plan` that `header` was made from.
recording::State log_state(const recording::Header& header, const plan::Plan& plan,
                           const plan::OperationStates& states,
                           const target::ObservedProcesses& processes, const plan::Costs& costs,
                           std::span<const target::Program> programs,
                           const std::vector<std::string>& notes,
                           std::optional<snapshot::Health::Strangers> strangers);

}  // namespace compmond::run
