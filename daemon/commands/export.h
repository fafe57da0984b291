// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "replay/logged_samples.h"

namespace compmond::commands {

struct ExportOptions {
  std::vector<std::string> inputs;  // logs, or one snapshot
  std::string format;
  std::string output;  // empty or "-": stdout
  bool with_host = false;
  bool repair = false;
  bool raw_costs = false;  // what probes cost stays in net real times
  bool samples = false;    // of a log's samples, also where it holds calls
  replay::SamplesAsked inside;
};

// Names of all formats, for the command line.
std::vector<std::string> export_format_names();

// Writes logs or a snapshot in the format of another program. Returns the program's exit code.
int export_command(const ExportOptions& options);

}  // namespace compmond::commands
