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

// Of the processes that this one may look at.
std::vector<pid_t> left_in();

// Puts back what this owner wrote into the process. False: there was some, which may have been
// forked on meanwhile.
bool leave_ours_in(pid_t pid, const UndoOwner& owner);

// Puts it back in one of them; how many patches there were, 0 where there is nothing of compmond.
// Exit::kNoInput: there is no such process. Exit::kNoPermission. Exit::kUnavailable: a compmond is
// at work in it, or it cannot be put back now.
Result<size_t> restore(pid_t pid);

}  // namespace compmond::inprocess
