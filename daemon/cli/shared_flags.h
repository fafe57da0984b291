// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "front/options.h"
#include "prepare/options.h"
#include "text/moment.h"

// Flags that several commands have.
namespace compmond::cli {

// Values that need a second step once all is parsed.
struct PlanningTexts {
  std::vector<std::string> specs;
  std::string exit_mode = "auto", samples;
  // `app` was parsed, with `target` added to it.
  void put_into(prepare::PlanningOptions& planning, const CLI::App& app,
                const prepare::TargetOptions& target) const;
};

void add_target(CLI::App& app, prepare::TargetOptions& target);
// `plans_only`: nothing is attached, and engines that can be planned only are offered as well.
void add_planning(CLI::App& app, prepare::PlanningOptions& planning, PlanningTexts& texts,
                  bool plans_only = false);
// Who may look at a run or a replay.
void add_serve(CLI::App& app, front::ServeOptions& options);
// What is shown of it, and what `exit_on_slo` decides.
void add_front(CLI::App& app, front::Options& options, bool& exit_on_slo);
// A moment of a log.
void add_moment(CLI::App& app, const char* flag, std::optional<text::Moment>& to, const char* what);
// Whether net real times are without what probes cost.
CLI::Option* add_raw_costs(CLI::App& app, bool& raw_costs);

}  // namespace compmond::cli
