// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "log_format/header.h"
#include "plan/cost.h"
#include "plan/plan.h"
#include "plan/states.h"
#include "spec/model.h"
#include "target/observed.h"
#include "text/moment.h"

// What a run was made of, from what its log holds; run/log/log_values.h is what wrote it.
namespace compmond::replay {

// CLOCK_MONOTONIC, of the log's; seconds count from its run's start.
uint64_t moment_of(const recording::Header& header, const text::Moment& moment);

struct LoggedRun {
  spec::Spec spec;
  plan::Plan plan;
  plan::OperationStates states;  // as it began
  plan::Costs costs;
  std::vector<snapshot::Health::Engine> engines;
  std::vector<target::Program> programs;  // at least one
};
// Exit::kData when the log's parts contradict each other.
Result<LoggedRun> logged_run(const recording::Header& header);
// What calls cost by all that the run's calls showed; `last`: the log's last state.
void correct(plan::Costs& costs, const recording::State& last);
// The run's operations as `state` has them.
plan::OperationStates logged_states(const recording::State& state, const recording::Header& header,
                                    const plan::Plan& plan);
// Likewise at a moment: `state` is of some seconds before or after it, `last` the log's last one,
// which knows when probes were away.
plan::OperationStates logged_states(uint64_t moment_ns, const recording::State& state,
                                    const recording::State& last, const recording::Header& header,
                                    const plan::Plan& plan);
target::ObservedProcesses logged_processes(const recording::State& state);

}  // namespace compmond::replay
