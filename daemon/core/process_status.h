// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <optional>
#include <string>

namespace compmond {

// What this process was begun to do with SIGCHLD: where it is ignored nobody is told how a child
// ended, so from the first call on it is not. That one comes before any child and thread.
const struct sigaction& ends_of_children_before();

// The wait status of a child of ours once it has ended, without waiting; `pid` is 0 then. None for
// pid 0.
std::optional<int> take_end(pid_t& pid);

// Waits for a child of ours to end, or with ptrace to stop; its wait status. 0 where there is none.
int wait_for(pid_t pid);

// As shells have it: the status, or 128 and the signal.
int exit_code_of(int wait_status);

// "exited with status 3", "was killed by SIGSEGV (Segmentation fault)".
std::string status_text(int wait_status);

}  // namespace compmond
