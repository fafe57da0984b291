// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace compmond::hindrance {

// What system call filters (seccomp) of a process do with the system calls that the kernel makes
// for probes in it.
enum class Filters : uint8_t {
  kPassed,   // they do not get to see them, or the kernel makes none
  kApplied,  // they may deny them or kill for them, as in Linux 6.11 to 6.13
  kUnknown,  // it could not be tried
};

// Tries it: a child that puts a return probe on a function of its own, and a filter on itself that
// kills for system calls of probes, calls the function. Some 10 ms; asked once per run of the
// program, before any thread. Without the right to place probes: kPassed, since there will be none.
Filters ask_filters();

}  // namespace compmond::hindrance
