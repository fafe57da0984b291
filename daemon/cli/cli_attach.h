// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/shared_flags.h"
#include "run/options.h"

namespace compmond::cli {

// What is done without a subcommand: a run.
class AttachFlags {
 public:
  void add_to(CLI::App& app);
  // After parsing; `command` is what stands behind "--". Returns the exit code.
  int run(std::vector<std::string> command);

 private:
  void add_recording(CLI::App& app);
  void add_expert(CLI::App& app);

  CLI::App* app_ = nullptr;
  run::AttachOptions options_;
  PlanningTexts planning_;
  std::string max_overhead_ = "5";
};

}  // namespace compmond::cli
