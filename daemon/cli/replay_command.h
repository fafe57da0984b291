// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "front/options.h"

namespace compmond::cli {

struct ReplayOptions {
  std::string log_path;
  front::ServeOptions serve;    // keep: also stays at the log's end, window or not
  std::optional<double> speed;  // 0: as fast as it goes; none: 1 where somebody may look, else 0
  std::string snapshot_path;    // "-": stdout; empty: none
  std::string metric = "overall";
  bool exit_on_slo = false;            // end at the first execution that misses its objective
  double window_s = 0;                 // 0: the whole run
  std::optional<double> from_s, to_s;  // since the run's start, instead of window_s
  double refresh_s = 0.5;              // of the live table
  int history_mib = 0;                 // 0: as the run had
};

// Plays a monitoring log: a window or the live table on a terminal, a snapshot and the summary at
// the end. Clients may connect where there is a window, --listen or --keep.
// Returns the program's exit code.
int replay_command(const ReplayOptions& options);

}  // namespace compmond::cli
