// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace compmond::front {

// How compmond-ui is to be started: settled before anything is attached, so that what is missing is
// told in time.
struct ScreenPlan {
  std::string program;                   // absolute path
  std::vector<std::string> environment;  // NAME=value: a display's variables and little else
  bool drop = false;                     // become the user who invoked sudo, below
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> groups;
};

// Whether there is a display to open a screen on.
bool has_display();

// Exit::kUnavailable where there is no display, or nobody but root to run a screen for;
// Exit::kNoInput where compmond-ui is neither beside this program nor in PATH.
Result<ScreenPlan> plan_screen();

// The running screen. It is not ended with this object: it sees the end of its connection and says
// so to whom is looking at it.
class ScreenProcess {
 public:
  struct Started;
  // Starts it with one end of a socket pair, `--fd 3`; the other end is the daemon's. It never runs
  // as root where a user invoked sudo, gets no other descriptor of ours, and sits in a session of
  // its own, so that Ctrl-C in the terminal ends only compmond.
  static Result<Started> start(const ScreenPlan& plan);

  // The wait status once it has ended, without waiting.
  std::optional<int> ended();

 private:
  explicit ScreenProcess(pid_t pid) : pid_(pid) {}
  pid_t pid_;
};

struct ScreenProcess::Started {
  ScreenProcess process;
  Fd connection;
};

}  // namespace compmond::front
