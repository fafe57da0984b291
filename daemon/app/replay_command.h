// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace compmond::app {

struct ReplayOptions {
  std::string log_path;
  bool headless = true;         // the terminal table; the only way to show things so far
  std::optional<double> speed;  // 0: as fast as it goes; none: 1 on a terminal, else 0
  std::string snapshot_path;    // "-": stdout; empty: none
  std::string metric = "overall";
  double window_s = 0;                 // 0: the whole run
  std::optional<double> from_s, to_s;  // since the run's start, instead of window_s
  double refresh_s = 0.5;              // of the live table
  int history_mib = 0;                 // 0: as the run had
};

// Plays a monitoring log: the live table on a terminal, a snapshot and the summary at the end.
// Returns the program's exit code.
int replay_command(const ReplayOptions& options);

}  // namespace compmond::app
