// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <vector>

namespace compmond::commands {

// Takes out of these processes what a compmond that was killed left in their code; of none, out of
// all that have some. Returns the exit code: Exit::kOk where all of them are as they were,
// Exit::kNoPermission where it found none, and may not look into all.
int restore_command(const std::vector<pid_t>& pids);

}  // namespace compmond::commands
