// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/attach_kind.h"
#include "base/result.h"
#include "log/header.h"
#include "probe/cost.h"
#include "probe/plan.h"
#include "spec/model.h"
#include "target/observed.h"

// What a run is made of, as a log holds it, and back.
namespace compmond::app {

// All but the moment (start_ns, begin_ns, state) and the sizes of the run.
log::Header log_header(const spec::Spec& spec, const probe::Plan& plan,
                       const probe::CostTable& costs, AttachKind kind);
// As of now, for the plan that `header` was made from.
log::State log_state(const log::Header& header, const probe::Plan& plan,
                     const target::ObservedProcesses& processes, const std::string& build_id,
                     const std::vector<std::string>& notes);

struct LoggedRun {
  spec::Spec spec;
  probe::Plan plan;
  probe::CostTable costs;
  AttachKind kind = AttachKind::kSession;
};
// Exit::kData when the log's parts contradict each other.
Result<LoggedRun> logged_run(const log::Header& header);
// The plan as the state has it.
void apply(const log::State& state, const log::Header& header, probe::Plan& plan);
target::ObservedProcesses logged_processes(const log::State& state);

}  // namespace compmond::app
