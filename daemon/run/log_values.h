// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "plan/cost.h"
#include "plan/plan.h"
#include "plan/states.h"
#include "recording/header.h"
#include "spec/model.h"
#include "target/observed.h"

// What a run is made of, as a log holds it, and back.
namespace compmond::run {

// All but the moment (start_ns, begin_ns, state) and the sizes of the run.
recording::Header log_header(const spec::Spec& spec, const plan::Plan& plan,
                             const plan::OperationStates& states, const plan::Costs& costs,
                             const std::string& attach);
// As of now, for the plan that `header` was made from.
recording::State log_state(const recording::Header& header, const plan::OperationStates& states,
                           const target::ObservedProcesses& processes, const std::string& build_id,
                           const std::vector<std::string>& notes);

struct LoggedRun {
  spec::Spec spec;
  plan::Plan plan;
  plan::OperationStates states;  // as it began
  plan::Costs costs;
  std::string attach;
};
// Exit::kData when the log's parts contradict each other.
Result<LoggedRun> logged_run(const recording::Header& header);
// The run's operations as `state` has them.
plan::OperationStates logged_states(const recording::State& state, const recording::Header& header,
                                    const plan::Plan& plan);
target::ObservedProcesses logged_processes(const recording::State& state);

}  // namespace compmond::run
