// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "commands/analyze.h"
#include "front/options.h"
#include "prepare/options.h"
#include "replay/replay_run.h"
#include "run/options.h"

// What flags cannot be given together, each of which is known; whatever depends on what a file
// holds is told by the command. Exit::kUsage.
namespace compmond::cli {

Unexpected wrong(const std::string& why, const std::string& next = "See compmond --help.");

// One of --pid, --exe and (for a run) a command.
Result<void> check_target(const prepare::TargetOptions& target,
                          const prepare::PlanningOptions& planning);
// What goes with which engine.
Result<void> check_engines(const prepare::EngineOptions& engines);
// All that goes wrong with a run for certain, the two above as well.
Result<void> check_run(const run::AttachOptions& options);
Result<void> check_replay(const front::Options& front, const replay::ReplayRun::Options& options);
Result<void> check_analyze(const commands::AnalyzeOptions& options);
// --from and --to of logs; a number of seconds and a time of day are for the command to compare.
Result<void> check_times(const std::optional<text::Moment>& from,
                         const std::optional<text::Moment>& to);

}  // namespace compmond::cli
