// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "guard/channel.h"

namespace compmond::hindrance {

// What system call filters (seccomp) of a process do with the system calls that the kernel makes
// for probes in it.
enum class Filters : uint8_t {
  kPassed,   // they do not get to see them, or the kernel makes none
  kApplied,  // they may deny them or kill for them, as in Linux 6.11 to 6.13
  kUnknown,  // it could not be tried
};

// Tries it: a child that puts a return probe on a function of its own, and a filter on itself that
// kills for system calls of probes, calls the function. It needs some 10 ms until it knows, and 0.1
// s to take its probe away, both beside what this process does meanwhile; a trial that goes sooner
// waits for that. One thread.
class FilterTrial {
 public:
  FilterTrial();  // before any thread
  // Without the right to place probes: kPassed, since there will be none.
  Filters answer();

 private:
  std::optional<guard::Child> child_;  // none: it could not be started
  std::optional<Filters> answer_;      // once asked for
};

}  // namespace compmond::hindrance
