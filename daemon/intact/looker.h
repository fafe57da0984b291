// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "base/result.h"
#include "guard/channel.h"
#include "intact/site.h"

namespace compmond::intact {

// What was seen of one file in one process.
struct Look {
  std::vector<Found> found;    // per site: the worst, where it is mapped several times
  pid_t debugger = 0;          // who traces it; 0: nobody, or compmond
  bool handles_traps = false;  // SIGTRAP has a handler
};

// Looks into processes, also after compmond gave up the right to: a process of its own keeps
// CAP_SYS_PTRACE and nothing else, and tells of memory only whether it is as it is asked. Nothing
// of the process that it looks into changes but which pages of its files it has mapped. One thread.
class Looker {
 public:
  // Before rights are given up, and before any thread. Exit::kUnavailable.
  static Result<Looker> start();

  // Exit::kNoPermission where it may not be looked into, Exit::kNoInput where it is gone,
  // Exit::kUnavailable where it could not be read within that time, and from then on.
  Result<Look> look(pid_t pid, uint64_t device, uint64_t inode, const std::vector<Site>& sites,
                    uint64_t within_ns);

 private:
  explicit Looker(guard::Child child) : child_(std::move(child)) {}
  guard::Child child_;
  bool works_ = true;
};

}  // namespace compmond::intact
