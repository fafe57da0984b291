// SPDX-License-Identifier: Apache-2.0
#include "commands/restore.h"

#include "core/message.h"
#include "patient/leftovers.h"
#include "text/numbers.h"

namespace compmond::commands {

int restore_command(const std::vector<pid_t>& pids) {
  const std::vector<pid_t> all = pids.empty() ? inprocess::left_in() : pids;
  if (all.empty()) print("Nothing was left behind in any process.\n");
  int code = 0;
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
