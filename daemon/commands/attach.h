// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "run/options.h"

namespace compmond::commands {

// The main job: attaches, shows the run in a window or on a terminal, writes snapshots, prints a
// summary at the end. Returns the program's exit code.
int attach_command(const run::AttachOptions& options);

}  // namespace compmond::commands
