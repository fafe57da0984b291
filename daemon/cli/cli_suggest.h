// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <optional>

#include "commands/suggest.h"

namespace compmond::cli {

// The subcommand suggest.
class SuggestFlags {
 public:
  void add_to(CLI::App& app);
  // After parsing: the exit code where it was given.
  std::optional<int> run();

 private:
  commands::SuggestOptions options_;
  CLI::App* app_ = nullptr;
};

}  // namespace compmond::cli
