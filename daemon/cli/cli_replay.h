// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "commands/replay.h"

namespace compmond::cli {

// The subcommand replay.
class ReplayFlags {
 public:
  void add_to(CLI::App& app);
  // After parsing: the exit code where it was given.
  std::optional<int> run();

 private:
  commands::ReplayOptions options_;
  std::string speed_;
  CLI::App* app_ = nullptr;
};

}  // namespace compmond::cli
