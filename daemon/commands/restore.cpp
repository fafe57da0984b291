// SPDX-License-Identifier: Apache-2.0
#include "commands/restore.h"

#include <fmt/format.h>
#include <unistd.h>

#include "core/message.h"
#include "patient/leftovers.h"
#include "text/numbers.h"

namespace compmond::commands {

int restore_command(const std::vector<pid_t>& pids) {
  const inprocess::LeftBehind left =
      pids.empty() ? inprocess::left_behind() : inprocess::LeftBehind{.in = pids};
  const std::vector<pid_t>& all = left.in;
  int code = 0;
  const bool root = ::geteuid() == 0;  // then they are nobody's business, as the first process of
                                       // a sandbox
  if (left.not_seen > 0) {
    const int not_seen = report(
        {Exit::kNoPermission,
         fmt::format("{}{} {} not looked at", text::counted(left.not_seen, "process", "processes"),
                     root ? "" : " of other users", left.not_seen == 1 ? "was" : "were"),
         root ? "the kernel lets not even root look into it" : "",
         root ? "" : "Run it with sudo: sudo compmond restore."});
    if (all.empty() && !root) code = not_seen;
  }
  if (all.empty())
    print("Nothing was left behind in any {}process.\n", left.not_seen > 0 ? "other " : "");
  for (const pid_t pid : all) {
    const auto done = inprocess::restore(pid);
    if (!done)
      code = report(done.error());
    else if (*done == 0)
      print("process {}: nothing of compmond is in it\n", pid);
    else
      print("process {}: {} put back\n", pid, text::counted(*done, "patch", "patches"));
  }
  return code;
}

}  // namespace compmond::commands
