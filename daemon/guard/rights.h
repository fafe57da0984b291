// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

// What compmond itself may still do once everything is resolved and attached (SECURITY.md).
namespace compmond::guard {

// Why more than CAP_BPF and CAP_PERFMON has to stay.
struct Needs {
  bool perf_events = false;       // probes go through perf events: CAP_SYS_ADMIN
  bool hidden_processes = false;  // /proc shows other users' processes only with CAP_SYS_PTRACE
  bool any_file = false;          // writes to any folder: CAP_DAC_OVERRIDE, CAP_CHOWN, CAP_FOWNER
  bool probes = true;             // loads nothing, but reads maps and places probes
};

// Whether this process has the capability (CAP_BPF, …) at the moment.
bool holds(int capability);

// True when /proc is mounted with hidepid.
bool processes_are_hidden();

// Takes every other capability away for good, sets no_new_privs, and installs a system call filter:
// what has no place in a profiler at work fails with EPERM. Threads that are started later inherit
// all of it; Exit::kInternal when there are others already, Exit::kUnavailable when the kernel has
// no filters.
Result<void> give_up_rights(const Needs& needs);

}  // namespace compmond::guard
