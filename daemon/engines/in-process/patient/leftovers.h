// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <vector>

#include "base/result.h"
#include "patient/undo.h"

// What compmonds left in processes that they patched, as they were killed with all that belongs to
// them: code that records for nobody.
namespace compmond::inprocess {

struct LeftBehind {
  std::vector<pid_t> in;
  size_t not_seen = 0;  // processes that this one may not look into
};
LeftBehind left_behind();

// Puts back what this owner wrote into the process.
struct LeftIn {
  bool any = false;   // there was some, which may have been forked on meanwhile
  Result<void> done;  // Exit::kNoInput: the process has ended; else why it stays
};
LeftIn leave_ours_in(pid_t pid, const UndoOwner& owner);

// Puts it back in one of them; how many patches there were, and detours on which threads made
// system calls for one that was killed meanwhile, 0 where there is nothing of compmond.
// Exit::kNoInput: there is no such process. Exit::kNoPermission. Exit::kUnavailable: a compmond is
// at work in it, or it cannot be put back now.
Result<size_t> restore(pid_t pid);

}  // namespace compmond::inprocess
