// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "commands/analyze.h"
#include "commands/export.h"

namespace compmond::cli {

// The subcommands that read logs: analyze and export.
class LogCommands {
 public:
  void add_to(CLI::App& app);
  // After parsing: the exit code where one of them was given.
  std::optional<int> run();

 private:
  void add_analyze(CLI::App& app);
  void add_export(CLI::App& app);

  commands::AnalyzeOptions analyze_;
  commands::ExportOptions export_;
  std::string level_;
  int64_t trace_ = 0;
  uint32_t class_number_ = 0;
  CLI::App *analyze_app_ = nullptr, *export_app_ = nullptr;
  CLI::Option *trace_given_ = nullptr, *class_given_ = nullptr;
};

}  // namespace compmond::cli
