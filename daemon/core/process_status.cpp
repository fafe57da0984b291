// SPDX-License-Identifier: Apache-2.0
#include "core/process_status.h"

#include <fmt/format.h>
#include <string.h>
#include <sys/wait.h>

#include <cerrno>

namespace compmond {

const struct sigaction& ends_of_children_before() {
  static const struct sigaction kBefore = [] {
    struct sigaction told {
    }, before{};
    told.sa_handler = SIG_DFL;
    ::sigaction(SIGCHLD, &told, &before);
    return before;
  }();
  return kBefore;
}

std::optional<int> take_end(pid_t& pid) {
  int status = 0;
  if (pid == 0 || ::waitpid(pid, &status, WNOHANG) != pid) return std::nullopt;
  pid = 0;
  return status;
}

int wait_for(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

int exit_code_of(int wait_status) {
  if (WIFEXITED(wait_status)) return WEXITSTATUS(wait_status);
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : 0;
}

std::string status_text(int wait_status) {
  if (WIFEXITED(wait_status)) return fmt::format("exited with status {}", WEXITSTATUS(wait_status));
  if (!WIFSIGNALED(wait_status)) return "ended";
  const int signal = WTERMSIG(wait_status);
  const char* name = ::sigabbrev_np(signal);
  return fmt::format("was killed by SIG{} ({})", name ? name : std::to_string(signal),
                     ::strsignal(signal));
}

}  // namespace compmond
