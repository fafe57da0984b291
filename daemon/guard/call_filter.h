// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "guard/rights.h"

namespace compmond::guard {

// Makes system calls fail with EPERM that a profiler at work has no use for: running programs,
// looking into other processes, loading kernel code, changing mounts, users, rights, the clock …
// The list stands in call_filter.cpp, its reasons in SECURITY.md. Returns errno.
int filter_calls(const Needs& needs);

}  // namespace compmond::guard
