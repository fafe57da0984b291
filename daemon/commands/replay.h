// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "front/options.h"
#include "replay/replay_run.h"

namespace compmond::commands {

struct ReplayOptions {
  std::string log_path;
  replay::ReplayRun::Options run;
  front::Options front;         // keep: also stays at the log's end, window or not
  std::optional<double> speed;  // 0: as fast as it goes; none: 1 where somebody may look, else 0
};

// Plays a monitoring log: a window or the live table on a terminal, a snapshot and the summary at
// the end. Clients may connect where there is a window, --listen or --keep.
// Returns the program's exit code.
int replay_command(ReplayOptions options);

}  // namespace compmond::commands
