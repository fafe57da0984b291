// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <optional>

#include "cli/shared_flags.h"

namespace compmond::cli {

// The subcommand check.
class CheckFlags {
 public:
  void add_to(CLI::App& app);
  // After parsing: the exit code where it was given.
  std::optional<int> run();

 private:
  prepare::CheckOptions options_;
  PlanningTexts planning_;
  CLI::App* app_ = nullptr;
};

}  // namespace compmond::cli
