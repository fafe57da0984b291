// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "export/report.h"
#include "replay/logged_samples.h"

namespace compmond::commands {

struct AnalyzeOptions {
  std::vector<std::string> logs;
  std::string report;
  std::string format;  // empty: by the end of `output`, else text on a terminal and JSON elsewhere
  std::string output;  // empty or "-": stdout
  bool repair = false;
  bool raw_costs = false;                   // what probes cost stays in net real times
  exporting::ReportOptions report_options;  // its format is set by the command
  replay::SamplesAsked inside;              // of the report of samples
};

// Reads logs and writes one report about their traces, or about the samples of one. Returns the
// program's exit code.
int analyze_command(const AnalyzeOptions& options);

}  // namespace compmond::commands
