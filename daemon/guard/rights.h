// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

// What compmond itself may still do once everything is resolved and attached (SECURITY.md).
namespace compmond::guard {

// Why more than CAP_BPF and CAP_PERFMON has to stay.
struct Needs {
  bool perf_events = false;       // probes go through perf events: CAP_SYS_ADMIN
  bool hidden_processes = false;  // /proc shows other users' processes only with CAP_SYS_PTRACE
  bool probes = true;             // loads nothing, but reads maps and places probes
};

// Whether this process has the capability (CAP_BPF, …) at the moment.
bool holds(int capability);

// Whether this process, which is root, can become nobody.
bool can_be_nobody();

// True when /proc is mounted with hidepid.
bool processes_are_hidden();

// Takes every other capability away for good, becomes nobody where this is root (what root owns is
// out of reach then), sets no_new_privs, renounces changes to files where the kernel has Landlock
// (not with hidden processes, which that would hide), and installs a system call filter: what has
// no place in a profiler at work fails with EPERM. Nobody may look into it any more. Threads that
// are started later inherit all of it; Exit::kInternal when there are others already,
// Exit::kUnavailable when the kernel has no filters.
Result<void> give_up_rights(const Needs& needs);

}  // namespace compmond::guard
