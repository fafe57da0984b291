// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <optional>

#include "commands/control.h"

namespace compmond::cli {

// The subcommand control.
class ControlFlags {
 public:
  void add_to(CLI::App& app);
  // After parsing: the exit code where it was given.
  std::optional<int> run();

 private:
  commands::ControlOptions options_;
  CLI::App* app_ = nullptr;
};

}  // namespace compmond::cli
