// SPDX-License-Identifier: Apache-2.0
#include "base/process_status.h"

#include <fmt/format.h>
#include <string.h>
#include <sys/wait.h>

namespace compmond {

std::string status_text(int wait_status) {
  if (WIFEXITED(wait_status)) return fmt::format("exited with status {}", WEXITSTATUS(wait_status));
  if (WIFSIGNALED(wait_status))
    return fmt::format("was killed by signal {} ({})", WTERMSIG(wait_status),
                       ::strsignal(WTERMSIG(wait_status)));
  return "ended";
}

}  // namespace compmond
