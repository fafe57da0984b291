// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "plan/copied_pages.h"
#include "target/observed.h"

namespace compmond::plan {

// Processes that come later. One that begins the program anew has its pages copied at once. One
// that was forked shares its parent's copies until the probes go, at the latest when compmond ends:
// then the kernel makes one for each process (and from Linux 6.16 on it leaves them there). What
// that takes must be there all the while. One thread.
class LaterCopies {
 public:
  // `copied` is borrowed.
  LaterCopies(CopiedPages& copied, CopiedPages::Tell tell)
      : copied_(copied), tell_(std::move(tell)) {}

  // One came. Probes of the program are in it by now: where its groups have no room for another
  // one's, a note says so. Looks now and then.
  void meet(pid_t pid);

  struct Excess {
    std::vector<size_t> operations;  // their probes are to go now, while there is room for it
    std::string reason;
  };
  // What goes beyond half of the room since more came; nothing most of the time. Looks now and
  // then. Where there is no room by now even to take them away, a note says what to do before
  // compmond ends.
  std::optional<Excess> look(const target::ObservedProcesses& processes);
  // As above: groups, and how many forked processes each has.
  std::optional<Excess> look(const std::vector<CopiedPages::Share>& owing);

 private:
  CopiedPages& copied_;
  CopiedPages::Tell tell_;
  std::set<pid_t> forked_;
  bool more_ = false;  // came since the last look
  uint64_t next_meeting_ns_ = 0, next_look_ns_ = 0;
  bool tight_ = false, too_late_ = false;  // said already
};

}  // namespace compmond::plan
