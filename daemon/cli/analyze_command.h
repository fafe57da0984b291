// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "export/report.h"

namespace compmond::cli {

struct AnalyzeOptions {
  std::vector<std::string> logs;
  std::string report;
  std::string format;  // empty: by the end of `output`, else text on a terminal and JSON elsewhere
  std::string output;  // empty or "-": stdout
  bool repair = false;
  exporting::ReportOptions report_options;  // its format is set by the command
};

// Reads logs and writes one report about their traces. Returns the program's exit code.
int analyze_command(const AnalyzeOptions& options);

}  // namespace compmond::cli
