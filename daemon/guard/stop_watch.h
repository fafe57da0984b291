// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "base/fd.h"
#include "base/result.h"

namespace compmond::guard {

// Sees that somebody wants the program to end (SIGINT, SIGTERM, SIGHUP) while it blocks these
// signals and nobody takes them yet. The signal stays pending.
class StopWatch {
 public:
  StopWatch();
  const Fd& fd() const { return fd_; }  // readable once one is pending
  // The error to end with, whose code is 128 and the signal; none: nobody wants that.
  static std::optional<Error> wish();

 private:
  Fd fd_;
};

}  // namespace compmond::guard
